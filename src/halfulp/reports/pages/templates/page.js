"use strict";
// Tables that sort, filter and page; trees; copying; charts, drawn one at a time when the page has been painted.
const datasets = JSON.parse(document.getElementById("datasets").textContent);
const specifications = JSON.parse(document.getElementById("charts").textContent);
const ROWS = 100, LONG = 24;

function exponential(text) {
  const [digits, power] = text.split("e");
  return digits + "e" + power[0] + power.slice(1).padStart(2, "0");
}

function shortest(value) {  // as Python's repr: the fewest digits that give this number
  const power = Number(value.toExponential().split("e")[1]);
  return power < -4 || power >= 16 ? exponential(value.toExponential()) : String(value);
}

function formatted(value, whole) {  // as pages/assembling.py: cell_text
  if (value === null || value === undefined) return "-";
  if (whole && typeof value === "number" && !Number.isInteger(value)) return shortest(value);
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value !== "number") return String(value);
  const size = Math.abs(value);
  if (Number.isInteger(value) && size < 1e15) return value.toLocaleString("en-US");
  if (size > 0 && (size < 1e-3 || size >= 1e5)) return exponential(value.toExponential(2));
  return size < 1000 ? String(Number(value.toPrecision(3))) : Math.round(value).toLocaleString("en-US");
}

const numeric = value => value === "infinite" ? Infinity : value === "-infinite" ? -Infinity : value;

function makeTable(root) {
  const data = datasets[root.dataset.table];
  const columns = JSON.parse(root.dataset.columns);
  const marked = new Set(root.dataset.marked.split(",").filter(Boolean).map(Number));
  const count = columns.length ? data[columns[0].key].length : 0;
  const body = root.querySelector("tbody");
  const output = root.querySelector("output");
  const input = root.querySelector("input");
  const pages = root.querySelector(".pages");
  const texts = new Array(count);
  let rows = [...Array(count).keys()], first = 0, sorted = null;

  const textOf = row => texts[row] ??= columns.map(column => formatted(data[column.key][row], column.whole)).join("\u0000").toLowerCase();

  function draw() {
    const shown = rows.slice(first, first + ROWS);
    body.replaceChildren(...shown.map(row => {
      const line = document.createElement("tr");
      if (marked.has(row)) line.className = "marked";
      line.append(...columns.map(column => {
        const cell = document.createElement("td");
        cell.textContent = formatted(data[column.key][row], column.whole);
        cell.className = column.css + (cell.textContent.length > LONG ? " long" : "");
        return cell;
      }));
      return line;
    }));
    output.textContent = rows.length === count ? `${count.toLocaleString("en-US")} rows` : `${rows.length.toLocaleString("en-US")} of ${count.toLocaleString("en-US")} rows`;
    pages.hidden = rows.length <= ROWS;
    if (!pages.hidden) {
      pages.querySelector("span").textContent = `${(first + 1).toLocaleString("en-US")} to ${Math.min(first + ROWS, rows.length).toLocaleString("en-US")}`;
      pages.querySelector(".back").disabled = first === 0;
      pages.querySelector(".on").disabled = first + ROWS >= rows.length;
    }
  }

  function arrange() {
    const words = input.value.trim().toLowerCase();
    rows = [...Array(count).keys()];
    if (words) rows = rows.filter(row => textOf(row).includes(words));
    if (sorted) {
      const values = data[sorted.key], sign = sorted.direction;
      const missing = value => value === null || value === undefined;
      rows.sort((left, right) => {
        const a = numeric(values[left]), b = numeric(values[right]);
        if (missing(a) || missing(b)) return missing(a) - missing(b) || left - right;
        const order = typeof a === "number" && typeof b === "number" ? a - b : String(a) < String(b) ? -1 : String(a) > String(b) ? 1 : 0;
        return sign * order || left - right;
      });
    }
    first = 0;
    draw();
  }

  for (const heading of root.querySelectorAll("thead th")) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = heading.textContent;
    heading.replaceChildren(button);
    button.addEventListener("click", () => {
      const direction = heading.getAttribute("aria-sort") === "descending" ? 1 : heading.getAttribute("aria-sort") === "ascending" || !heading.classList.contains("number") ? (heading.getAttribute("aria-sort") ? -1 : 1) : -1;
      for (const other of root.querySelectorAll("th")) other.removeAttribute("aria-sort");
      heading.setAttribute("aria-sort", direction > 0 ? "ascending" : "descending");
      sorted = {key: heading.dataset.key, direction};
      arrange();
    });
  }
  const button = (name, words, move) => {
    const made = document.createElement("button");
    made.type = "button"; made.className = name; made.textContent = words;
    made.addEventListener("click", () => { first += move; draw(); });
    return made;
  };
  pages.append(button("back", "Back", -ROWS), document.createElement("span"), button("on", "On", ROWS));
  let waiting = 0;
  input.addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(arrange, 60); });
  root.querySelector(".tools").hidden = count < 8;
  draw();
}

function makeTree(root) {
  const button = root.querySelector(".unfold");
  const all = [...root.querySelectorAll("details")];
  button.hidden = !all.length;
  button.addEventListener("click", () => {
    const open = button.textContent === "Unfold all";
    for (const each of all) each.open = open;
    button.textContent = open ? "Fold all" : "Unfold all";
  });
}

function makeCopy(button) {
  const source = button.closest("figure").querySelector("code");
  button.hidden = false;
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(source.textContent);
    } catch {  // pages from disk may not be allowed to: then the text is selected and copied the old way
      const range = document.createRange();
      range.selectNodeContents(source);
      getSelection().removeAllRanges();
      getSelection().addRange(range);
      document.execCommand("copy");
    }
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = "Copy"; }, 2000);
  });
}

const dark = matchMedia("(prefers-color-scheme: dark)");

function configuration() {
  const color = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const ink = color("--ink"), line = color("--line");
  const axis = {labelColor: ink, titleColor: ink, gridColor: line, domainColor: line, tickColor: line, gridOpacity: .6};
  return {background: "transparent", font: "system-ui, sans-serif", view: {stroke: line}, axis, legend: {labelColor: ink, titleColor: ink}, title: {color: ink}, header: {labelColor: ink, titleColor: ink}, style: {"guide-label": {fontSize: 11}, "guide-title": {fontSize: 12}}};
}

function rowsOf(columns) {
  const keys = Object.keys(columns);
  const count = keys.length ? columns[keys[0]].length : 0;
  return Array.from({length: count}, (_, row) => Object.fromEntries(keys.map(key => [key, columns[key][row]])));
}

async function drawChart(figure) {
  const {spec, names, parted} = structuredClone(specifications[figure.dataset.chart]);
  spec.datasets = Object.fromEntries(names.map(name => [name, rowsOf(datasets[name])]));
  const many = names.some(name => { const first = Object.values(datasets[name])[0]; return first && first.length > 500; });
  const place = figure.querySelector(".canvas");
  delete spec.title;
  for (const each of spec.vconcat || []) if (each.width === "container") each.width = Math.max(180, place.clientWidth - 90);
  if (!parted && spec.width > place.clientWidth - 90) spec.width = "container";  // as wide as few tiles are, where that fits
  await vegaEmbed(place, spec, {actions: false, ast: true, renderer: many ? "canvas" : "svg", config: configuration(), defaultStyle: false, tooltip: {disableDefaultStyle: true}});
  place.querySelector("svg, canvas")?.setAttribute("aria-hidden", "true");  // its words are the label of the place around it
  figure.dataset.drawn = "yes";
}

const idle = window.requestIdleCallback || (work => setTimeout(work, 30));
const figures = [...document.querySelectorAll("figure.chart")];

async function drawAll(waiting) {
  for (const figure of waiting) {
    await new Promise(resolve => idle(resolve, {timeout: 1000}));
    try {
      await drawChart(figure);
    } catch (error) {
      figure.querySelector(".canvas").textContent = `This picture could not be drawn (${error.message}); the tables hold its numbers.`;
      console.error(error);
    }
  }
  document.documentElement.dataset.drawn = "yes";
}

function loadVega() {
  const source = document.getElementById("vega");
  if (!source || window.vegaEmbed) return Boolean(source);
  const script = document.createElement("script");
  script.textContent = source.textContent;
  document.head.append(script);
  return true;
}

function start() {
  if (figures.length && loadVega()) {
    drawAll(figures);
    dark.addEventListener("change", () => drawAll(figures));
    const stacked = figures.filter(each => specifications[each.dataset.chart].spec.vconcat);
    let waiting = 0;  // others follow the width of the page by themselves
    if (stacked.length) addEventListener("resize", () => { clearTimeout(waiting); waiting = setTimeout(() => drawAll(stacked), 200); });
  } else {
    document.documentElement.dataset.drawn = "yes";
  }
}

// What is printed before its turn came is drawn now: nothing in it waits for the network or a timer, so it is done when this event is.
addEventListener("beforeprint", () => {
  const left = figures.filter(each => !each.dataset.drawn);
  if (left.length && loadVega()) left.forEach(each => drawChart(each).catch(console.error));
});

document.querySelectorAll(".table").forEach(makeTable);
document.querySelectorAll(".tree").forEach(makeTree);
document.querySelectorAll("button.copy").forEach(makeCopy);
requestAnimationFrame(() => setTimeout(start, 0));
