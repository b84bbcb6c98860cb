module example.org/outside

go 1.26

require warpbound v0.0.0

require (
	github.com/ebitengine/purego v0.11.3 // indirect
	github.com/ianlancetaylor/demangle v0.0.0-20260724033716-83e58baca724 // indirect
	github.com/pelletier/go-toml/v2 v2.4.3 // indirect
	golang.org/x/sys v0.35.0 // indirect
)

replace warpbound => ../..
