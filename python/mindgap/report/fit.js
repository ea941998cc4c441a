// The fit: data, component densities, their sum, and the gaps between the means as brackets.
const TALLEST = 2.5; // a collapsed component is cut off where it exceeds the data this many times
const FAINTEST = 0.003; // a component ends where it is lower than this part of the picture

function density(fit, component, at) {
  const score = (at - fit.means[component]) / fit.deviations[component];
  return (fit.weights[component] / (fit.deviations[component] * Math.sqrt(2 * Math.PI))) * Math.exp(-0.5 * score * score);
}

function points(fit, low, high) {
  const found = [];
  for (let index = 0; index <= 400; index += 1) found.push(low + ((high - low) * index) / 400);
  fit.means.forEach((mean, component) => {
    for (let index = -30; index <= 30; index += 1) found.push(mean + (fit.deviations[component] * index) / 6);
  });
  return found.filter((at) => at >= low && at <= high).sort((a, b) => a - b);
}

function total(fit, at) {
  return fit.means.reduce((sum, _, component) => sum + density(fit, component, at), 0);
}

// What all the fits are shown in, so that the slider moves the fit and not the axes.
function viewOf(svg, content, fits) {
  const width = widthOf(svg);
  let low = Infinity;
  let high = -Infinity;
  let tallest = 0;
  if (content.histogram) {
    low = content.histogram.edges[0];
    high = content.histogram.edges[content.histogram.edges.length - 1];
  }
  for (const fit of fits) {
    fit.means.forEach((mean, component) => {
      const reach = content.histogram ? 0 : 3.5 * fit.deviations[component];
      low = Math.min(low, mean - reach);
      high = Math.max(high, mean + reach);
      tallest = Math.max(tallest, total(fit, mean));
    });
  }
  const margin = 0.03 * (high - low) || 1;
  const data = content.histogram ? Math.max(...content.histogram.density) : 0;
  const lines = Math.max(0, ...fits.flatMap((fit) => fit.labels.map((label) => label.split("\n").length)));
  const peak = 1.03 * (data ? Math.max(data, Math.min(tallest, TALLEST * data)) : tallest);
  const widest = Math.max(...tickTexts(ticks(0, peak, 5)).map((text) => text.length));
  return {
    width, height: Math.min(430, 180 + 0.4 * width) + 13 * lines, top: lines ? 32 + 13 * lines : 12, left: 36 + 7 * widest,
    low: low - margin, high: high + margin,
    floor: 0, peak,
  };
}

function drawFit(svg, content, fit, view) {
  const frame = axes(svg, view, { x: content.label, y: "density" });
  const { x, y, bottom } = frame;
  const height = (value) => y(Math.min(value, view.peak));
  if (content.histogram) {
    content.histogram.density.forEach((value, bin) => {
      const [start, end] = [x(content.histogram.edges[bin]), x(content.histogram.edges[bin + 1])];
      if (value > 0) add(svg, "rect", { class: "bar", x: start, y: y(value), width: end - start, height: bottom - y(value) });
    });
  }
  fit.thresholds.forEach((place) => {
    if (place !== null) add(svg, "path", { class: "threshold", d: `M${x(place)} ${bottom}V${view.top}` });
  });
  const grid = points(fit, view.low, view.high);
  add(svg, "path", { class: "mixture", d: polyline(grid.map(x), grid.map((at) => height(total(fit, at)))) });
  fit.means.forEach((_, component) => drawComponent(svg, content, fit, component, grid, frame, view));
  fit.means.forEach((mean, component) => {
    const at = x(mean);
    if (fit.gaps.length) add(svg, "path", { class: "guide", d: `M${at} ${bottom}V${view.top - 6}` });
    const triangle = `M${at} ${bottom - 9}l5 9h-10z`;
    add(svg, "path", { class: "mean", d: triangle, fill: content.colours[component % content.colours.length] });
  });
  drawGaps(svg, fit, frame, view);
}

function drawComponent(svg, content, fit, component, grid, frame, view) {
  const seen = grid.filter((at) => density(fit, component, at) >= FAINTEST * view.peak);
  if (seen.length === 0) return;
  const colour = content.colours[component % content.colours.length];
  const dashes = content.dashes[component % content.dashes.length].map((length) => 1.6 * length).join(" ");
  const line = polyline(
    seen.map(frame.x),
    seen.map((at) => frame.y(Math.min(density(fit, component, at), view.peak))),
  );
  const ends = [frame.x(seen[0]), frame.x(seen[seen.length - 1])];
  add(svg, "path", { class: "area", fill: colour, d: `${line}L${ends[1]} ${frame.bottom}L${ends[0]} ${frame.bottom}z` });
  add(svg, "path", { class: "curve", stroke: colour, "stroke-dasharray": dashes || "none", d: line });
}

// Where to centre labels of those widths so that none overlap, each as near to its place as can be; null if they do not fit.
function spread(places, widths, low, high) {
  const room = widths.reduce((sum, width) => sum + width, 0);
  if (room > high - low) return null;
  const blocks = [];
  let before = 0;
  const shifts = widths.map((width) => (before += width) - width / 2);
  places.forEach((place, index) => {
    let [mean, count] = [place - shifts[index], 1];
    while (blocks.length && blocks[blocks.length - 1][0] >= mean) {
      const [other, size] = blocks.pop();
      mean = (other * size + mean * count) / (size + count);
      count += size;
    }
    blocks.push([mean, count]);
  });
  const free = blocks.flatMap(([mean, count]) => Array(count).fill(mean));
  return free.map((mean, index) => Math.min(Math.max(mean, low), high - room) + shifts[index]);
}

function drawGaps(svg, fit, frame, view) {
  const level = view.top - 8;
  const middles = fit.gaps.map((_, gap) => (frame.x(fit.means[gap]) + frame.x(fit.means[gap + 1])) / 2);
  fit.gaps.forEach((_, gap) => {
    const [start, end] = [frame.x(fit.means[gap]), frame.x(fit.means[gap + 1])];
    const inset = Math.min(2, (end - start) / 4);
    const d = `M${start + inset} ${level + 6}V${level}H${end - inset}V${level + 6}`;
    add(svg, "path", { class: fit.held[gap] ? "bracket held" : "bracket", d });
  });
  const all = fit.gaps.map((_, gap) => gap);
  const held = all.filter((gap) => fit.held[gap]);
  const brief = fit.labels.map((label) => label.split("\n")[0]);
  for (const [texts, shown] of [[fit.labels, all], [brief, all], [fit.labels, held], [brief, held]]) {
    const labels = shown.map((gap) => gapLabel(svg, texts[gap], fit.held[gap]));
    const widths = labels.map((label) => label.getBBox().width + 9);
    const places = spread(shown.map((gap) => middles[gap]), widths, frame.left, frame.right);
    if (places !== null) {
      shown.forEach((gap, index) => {
        labels[index].setAttribute("transform", `translate(${places[index]} ${level - 12})`);
        add(svg, "path", { class: "leader", d: `M${middles[gap]} ${level}L${places[index]} ${level - 8}` });
      });
      return;
    }
    labels.forEach((label) => label.remove());
  }
}

function gapLabel(svg, text, held) {
  const label = add(svg, "text", { class: held ? "gap-label held" : "gap-label" });
  const lines = text.split("\n");
  lines.forEach((line, index) => add(label, "tspan", { x: 0, y: -13 * (lines.length - 1 - index) }, line));
  return label;
}

// In each bin the root of what is there less the root of what the fit expects; beyond one it is more than chance.
function drawResiduals(svg, content) {
  const { edges } = content.histogram;
  const most = Math.max(2, ...content.residuals.map(Math.abs));
  const margin = 0.03 * (edges[edges.length - 1] - edges[0]);
  const view = {
    width: widthOf(svg), height: 220, top: 12, left: 72,
    low: edges[0] - margin, high: edges[edges.length - 1] + margin, floor: -1.05 * most, peak: 1.05 * most,
  };
  const { x, y, left, right } = axes(svg, view, { x: content.label, y: "√observed - √expected" });
  content.residuals.forEach((value, bin) => {
    const [start, end] = [x(edges[bin]), x(edges[bin + 1])];
    const shape = { x: start, y: Math.min(y(0), y(value)), width: end - start, height: Math.abs(y(value) - y(0)) };
    add(svg, "rect", { class: Math.abs(value) > 1 ? "bar off" : "bar", ...shape });
  });
  [-1, 0, 1].forEach((level) => {
    add(svg, "path", { class: level ? "guide" : "axis", d: `M${left} ${y(level)}H${right}` });
  });
}
