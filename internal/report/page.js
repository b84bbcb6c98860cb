"use strict";
// Shows the title of a mark beside the pointer, at once, and lets timelines and flow graphs be enlarged. Without it the page says the same.
(() => {
	const tip = document.getElementById("tip");
	document.addEventListener("mousemove", e => {
		const mark = e.target.closest("svg.chart *");
		let title = null;
		for (let at = mark; at && !title; at = at.parentElement.closest("svg.chart *")) {
			title = at.querySelector(":scope > title");
		}
		tip.style.display = title && title.textContent ? "block" : "none";
		if (title) {
			tip.textContent = title.textContent;
			tip.style.left = Math.min(e.clientX + 14, innerWidth - tip.offsetWidth - 8) + "px";
			tip.style.top = Math.min(e.clientY + 14, innerHeight - tip.offsetHeight - 8) + "px";
		}
	});
	for (const tools of document.querySelectorAll(".tools")) {
		const svg = tools.parentElement.querySelector("svg.chart");
		const whole = svg.getAttribute("viewBox").split(" ").map(Number);
		const flow = svg.classList.contains("flow");
		let [left, width, scale] = [0, whole[2], 1];
		const draw = () => {
			if (flow) {
				svg.setAttribute("width", whole[2] * scale);
				svg.setAttribute("height", whole[3] * scale);
				return;
			}
			left = Math.max(0, Math.min(left, whole[2] - width));
			svg.setAttribute("viewBox", [left, 0, width, whole[3]].join(" "));
			svg.setAttribute("preserveAspectRatio", width < whole[2] ? "none" : "xMidYMid meet");
		};
		const zoom = (factor, at) => {
			if (flow) {
				scale = Math.min(Math.max(scale * factor, 0.1), 4);
			} else {
				const next = Math.min(Math.max(width / factor, whole[2] / 64), whole[2]);
				left += (width - next) * at;
				width = next;
			}
			draw();
		};
		for (const [name, act] of [["+", () => zoom(1.6, 0.5)], ["\u2212", () => zoom(1 / 1.6, 0.5)], ["whole", () => { [left, width, scale] = [0, whole[2], 1]; draw(); }]]) {
			const button = document.createElement("button");
			button.textContent = name;
			button.onclick = act;
			tools.append(button, " ");
		}
		if (!flow) {
			svg.addEventListener("wheel", e => {
				if (e.ctrlKey || e.shiftKey) {
					e.preventDefault();
					zoom(e.deltaY < 0 ? 1.3 : 1 / 1.3, (e.clientX - svg.getBoundingClientRect().left) / svg.clientWidth);
				}
			}, { passive: false });
			let from = null;
			svg.addEventListener("pointerdown", e => { from = [e.clientX, left]; });
			svg.addEventListener("pointermove", e => {
				if (from && e.buttons) {
					left = from[1] - (e.clientX - from[0]) / svg.clientWidth * width;
					draw();
				}
			});
		}
	}
})();
