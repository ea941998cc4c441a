"use strict";
// Shapes, scales and axes that the pictures share. The namespace is read from the page, so that no address stands here.
const NAMESPACE = document.querySelector("svg").namespaceURI;

function add(parent, tag, attributes, text) {
  const shape = document.createElementNS(NAMESPACE, tag);
  for (const [name, value] of Object.entries(attributes)) shape.setAttribute(name, value);
  if (text !== undefined) shape.textContent = text;
  parent.appendChild(shape);
  return shape;
}

function scale(low, high, start, end) {
  const width = high - low || 1;
  return (value) => start + ((value - low) / width) * (end - start);
}

// Ticks as texts: as many decimals as tell one from the next, whatever their size.
function tickTexts(found) {
  const step = found.length > 1 ? found[1] - found[0] : Math.abs(found[0]) || 1;
  const largest = Math.max(...found.map(Math.abs), step);
  const decimals = Math.max(0, Math.ceil(-Math.log10(step) - 1e-9));
  if (largest < 1e7 && decimals <= 6) return found.map((tick) => tick.toFixed(decimals));
  const digits = Math.min(17, Math.max(1, Math.ceil(Math.log10(largest / step)) + 1));
  return found.map((tick) => (tick === 0 ? "0" : tick.toExponential(digits - 1)));
}

function ticks(low, high, about, least = 0) {
  // Finer steps than a double can take would never arrive.
  const finest = 1e-13 * Math.max(Math.abs(low), Math.abs(high));
  const rough = Math.max((high - low) / about || 1, least, finest);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * [1, 2, 5, 10].find((factor) => factor * power >= rough * 0.999);
  const found = [];
  for (let index = Math.ceil(low / step); index * step <= high; index += 1) found.push(index * step);
  return found;
}

function short(value, digits = 4) {
  const size = Math.abs(value);
  if (size >= 1e4 && size < 1e7) return value.toFixed(0);
  return String(Number(value.toPrecision(digits)));
}

// Drawn at the size that it is shown at, so that its texts are as large as those around it.
function widthOf(svg) {
  return Math.max(svg.getBoundingClientRect().width, 320);
}

function polyline(xs, ys) {
  return xs.map((x, index) => `${index ? "L" : "M"}${x.toFixed(2)} ${ys[index].toFixed(2)}`).join("");
}

// An empty picture with axes; returns where data go. `top` is kept free above the data.
function axes(svg, view, names) {
  const { width, height, top, left } = view;
  const bottom = height - 46;
  const right = width - 14;
  svg.replaceChildren();
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  const x = scale(view.low, view.high, left, right);
  const y = scale(view.floor, view.peak, bottom, top);
  add(svg, "path", { class: "axis", fill: "none", d: `M${left} ${top}V${bottom}H${right}` });
  let across = ticks(view.low, view.high, width / 90, view.least);
  const widest = Math.max(...tickTexts(across).map((text) => text.length));
  if (across.length > 1 && widest * 7 + 8 > x(across[1]) - x(across[0])) {
    across = ticks(view.low, view.high, Math.max(1, (right - left) / (widest * 8 + 16)), view.least);
  }
  tickTexts(across).forEach((text, index) => {
    const at = x(across[index]);
    add(svg, "path", { class: "axis", d: `M${at} ${bottom}v5` });
    add(svg, "text", { class: "tick-x", x: at, y: bottom + 18 }, text);
  });
  const up = ticks(view.floor, view.peak, (bottom - top) / 50);
  tickTexts(up).forEach((text, index) => {
    add(svg, "path", { class: "axis", d: `M${left} ${y(up[index])}h-5` });
    add(svg, "text", { class: "tick-y", x: left - 8, y: y(up[index]) + 4 }, text);
  });
  add(svg, "text", { class: "name-x", x: (left + right) / 2, y: height - 8 }, names.x);
  const middle = (top + bottom) / 2;
  add(svg, "text", { class: "name-y", x: 14, y: middle, transform: `rotate(-90 14 ${middle})` }, names.y);
  return { x, y, bottom, left, right };
}

// One line against another; a mark on one of its points, and the δ from which the bound changes the fit, are optional.
function drawTrace(svg, xs, ys, names, here, bitesAt) {
  const known = xs.map((_, index) => index).filter((index) => ys[index] !== null);
  if (known.length === 0) return;
  const values = known.map((index) => ys[index]);
  const low = Math.min(...values);
  const high = Math.max(...values);
  // What differs by rounding alone is drawn as a level line.
  const level = high - low <= 1e-11 * Math.abs(high);
  const margin = level ? Math.abs(high) * 0.01 || 1 : (high - low) * 0.08;
  const wide = Math.max(...tickTexts(ticks(low - margin, high + margin, 4)).map((text) => text.length));
  const view = {
    width: widthOf(svg), height: 240, top: 12, left: 34 + 7 * wide,
    low: xs[0], high: xs[xs.length - 1], floor: low - margin, peak: high + margin,
    least: names.whole ? 1 : 0,
  };
  if (view.high === view.low) view.high = view.low + 1;
  const { x, y, bottom } = axes(svg, view, names);
  if (bitesAt !== undefined && bitesAt !== null) {
    add(svg, "path", { class: "bite", d: `M${x(bitesAt)} ${view.top}V${bottom}` });
  }
  const across = known.map((index) => x(xs[index]));
  const up = values.map(y);
  add(svg, "path", { class: "trace", d: polyline(across, up) });
  if (known.length <= 60) across.forEach((at, index) => add(svg, "circle", { class: "dot", cx: at, cy: up[index], r: 2.4 }));
  if (here !== undefined) add(svg, "circle", { class: "here", cx: x(xs[here]), cy: y(ys[here]), r: 6.5 });
}
