package cuda

// Attributes is what a device is and what limits it has.
type Attributes struct {
	Name         string
	Capability   Capability
	MemoryBytes  int // of global memory
	SMs          int
	WarpSize     int // threads
	ClockKHz     int // of the SMs, the highest that they reach
	MemoryKHz    int // the highest clock of the memory
	BusBits      int // width of the memory's bus
	L2Bytes      int
	ECC          bool // errors of the memory are corrected
	Integrated   bool // memory is that of the CPU
	Watchdog     bool // stops kernels that run for seconds, because of a display
	Exclusive    bool // no other process may use the device
	CTAThreads   int  // most threads of a CTA
	CTAShared    int  // most bytes of shared memory of a CTA, dynamic included
	CTARegisters int  // most registers of a CTA
	SMThreads    int  // most threads resident on an SM
	SMCTAs       int  // most CTAs resident on an SM; 0 if the driver does not say
	SMShared     int  // bytes of shared memory of an SM
	SMRegisters  int  // registers of an SM
	// ReservedShared is the shared memory that every CTA takes from an SM beside its own, in bytes.
	ReservedShared int
	MaxBlock       [3]int // most threads of a CTA in x, y and z
	MaxGrid        [3]int // most CTAs of a grid in x, y and z
}

// Capability is the compute capability of a device: 8.6 runs PTX for sm_86 and older.
type Capability struct{ Major, Minor int }

// Conditions is what holds on a device at one moment and can change what is measured.
type Conditions struct {
	DriverVersion string   // the driver's own, for example "550.54.14"; empty if unknown
	ClockKHz      int      // of the SMs now; 0 if unknown
	MemoryKHz     int      // of the memory now; 0 if unknown
	Celsius       int      // temperature of the chip; 0 if unknown
	Milliwatts    int      // power that the board takes; 0 if unknown
	Slowed        []string // what keeps the clocks low, in the driver's words
	Others        int      // other processes that use the device; negative if unknown
	Unknown       []string // why something of the above is unknown, a line each
}
