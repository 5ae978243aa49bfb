const DATA = JSON.parse(document.getElementById("data").textContent);
const ORDERS = {
  "": ["as in the dataset", null],
  slowest: ["slowest first", (one) => -one.duration],
  dearest: ["most expensive first", (one) => -(one.cost || 0)],
  worst: ["worst first", (one) => -DATA.statuses.indexOf(one.status)],
  name: ["by name", (one) => one.name],
};

/* What a search looks in; made when the first search needs it. */
function haystack(one) {
  if (one.haystack === undefined) {
    const parts = [one.name, one.inputs, one.expected, one.output, one.failure, one.error, one.metadata, one.params, one.results];
    one.haystack = parts.map((part) => (part === undefined || part === null ? "" : worded(part))).join("\n").toLowerCase();
  }
  return one.haystack;
}

function outcomeOf(one, criterion) {
  const result = one.results.find((each) => each.name === criterion);
  return result ? result.status : one.not_applicable.includes(criterion) ? "not applicable" : "";
}

function labels(value) {
  return (Array.isArray(value) ? value : [value]).map((each) => (typeof each === "string" ? each : JSON.stringify(each)));
}

function matching() {
  const text = field("text").value.trim().toLowerCase();
  const statuses = checked();
  const criterion = field("criterion").value, outcome = field("outcome").value;
  const key = field("key").value, value = field("value").value;
  return DATA.trials.filter((one) =>
    statuses.has(one.status)
    && (!outcome || (criterion ? outcomeOf(one, criterion) === outcome : one.results.some((each) => each.status === outcome)))
    && (!criterion || outcomeOf(one, criterion) !== "")
    && (!key || (key in one.metadata && (value === "" || labels(one.metadata[key]).includes(value.slice(1)))))
    && (!text || haystack(one).includes(text)));
}

function apply() {
  const found = matching();
  const by = ORDERS[field("order").value][1];
  if (by) found.sort((a, b) => (by(a) < by(b) ? -1 : by(a) > by(b) ? 1 : 0));
  list(found, row);
  const passed = found.filter((one) => one.status === "passed").length;
  field("count").textContent = found.length === DATA.trials.length
    ? `All ${found.length.toLocaleString("en")} trials`
    : `${found.length.toLocaleString("en")} of ${DATA.trials.length.toLocaleString("en")} trials, ${passed.toLocaleString("en")} of these passed`;
}

function row(one) {
  const name = make("span", {class: "name", text: one.name});
  if (one.repetition > 1) name.append(make("span", {class: "dim", text: ` #${one.repetition}`}));
  const marks = make("span", {class: "marks"}, ...one.results.map((result) => status(result.status, result.name)));
  if (one.failure !== null) marks.append(status("failed", "assertion"));
  const figures = make("span", {class: "figures", text: [one.time, one.tokens === null ? "" : `${one.tokens.toLocaleString("en")} tokens`, one.price].filter(Boolean).join(" · ")});
  return item([status(one.status), name, marks, figures], () => body(one));
}

function body(one) {
  const made = make("div", {class: "body"});
  made.append(make("div", {class: "pair"}, block("inputs", one.inputs), "expected" in one ? block("expected output", one.expected) : null));
  if ("output" in one) made.append(isConversation(one.output) ? conversation(one.output) : block("output", one.output));
  if (one.results.length || one.not_applicable.length) made.append(make("h3", {text: "criteria"}), results(one));
  if (one.failure !== null) made.append(block("failed assertion", one.failure));
  if (one.error !== null) made.append(block("error", one.error.traceback || `${one.error.type}: ${one.error.message}`));
  made.append(make("h3", {text: "more"}), facts(one));
  return made;
}

function results(one) {
  const rows = one.results.map((result) => {
    const reason = make("td", {class: "reason", text: result.reason || ""});
    if (result.probabilities) reason.append(make("div", {class: "dim", text: result.probabilities.map(([name, p]) => `${name}: ${p.toFixed(2)}`).join(", ")}));
    if (result.evidence !== null) reason.append(make("details", {}, make("summary", {text: "what the evaluator did"}), make("pre", {text: worded(result.evidence)})));
    return make("tr", {}, make("td", {}, status(result.status, result.name)), make("td", {text: result.verdict}), reason, make("td", {class: "dim", text: result.model || ""}));
  });
  rows.push(...one.not_applicable.map((name) => make("tr", {}, make("td", {class: "dim", text: name}), make("td", {class: "dim", text: "not applicable"}), make("td"), make("td"))));
  const head = make("thead", {}, make("tr", {}, ...["criterion", "verdict", "reason", "model"].map((text) => make("th", {text, scope: "col"}))));
  return make("div", {class: "scroll"}, make("table", {class: "results"}, head, make("tbody", {}, ...rows)));
}

function facts(one) {
  const made = make("dl", {class: "facts"});
  const add = (name, text) => made.append(make("div", {}, make("dt", {text: name}), make("dd", {text})));
  add("assertions", String(one.assertions));
  add("duration", one.time);
  if (one.retries) add("tries before this one", String(one.retries));
  for (const [name, text] of one.usage) add(name, text);
  for (const [name, value] of Object.entries(one.metadata)) add(name, worded(value));
  for (const [name, value] of Object.entries(one.params)) add(`parameter ${name}`, worded(value));
  add("run it again", one.again);
  return made;
}

function values() {
  const key = field("key").value;
  const known = key ? [...new Set(DATA.trials.flatMap((one) => (key in one.metadata ? labels(one.metadata[key]) : [])))].sort() : [];
  choices(field("value"), [["", "any"], ...known.slice(0, 500).map((value) => ["=" + value, value])]);
}

function remember() {
  const set = new URLSearchParams();
  for (const id of ["text", "criterion", "outcome", "key", "value", "order"]) if (field(id).value) set.set(id, field(id).value);
  const off = [...field("status").querySelectorAll("input:not(:checked)")].map((box) => box.value);
  if (off.length) set.set("without", off.join(","));
  history.replaceState(null, "", set.size ? "#" + set : location.pathname + location.search);
}

function recall() {
  const set = new URLSearchParams(location.hash.slice(1));
  for (const id of ["text", "criterion", "outcome", "key", "order"]) if (set.has(id)) field(id).value = set.get(id);
  values();
  if (set.has("value")) field("value").value = set.get("value");
  for (const word of (set.get("without") || "").split(",")) {
    const box = [...field("status").querySelectorAll("input")].find((one) => one.value === word);
    if (box) box.checked = false;
  }
}

function start() {
  kinds(DATA.statuses, (word) => DATA.trials.filter((one) => one.status === word).length, (word) => status(word));
  choices(field("criterion"), [["", "any"], ...DATA.criteria.map((name) => [name, name])]);
  choices(field("outcome"), [["", "any"], ...DATA.statuses.map((word) => [word, word]), ["not applicable", "not applicable"]]);
  const keys = [...new Set(DATA.trials.flatMap((one) => Object.keys(one.metadata)))].sort();
  choices(field("key"), [["", "any"], ...keys.map((key) => [key, key])]);
  choices(field("order"), Object.entries(ORDERS).map(([value, [text]]) => [value, text]));
  recall();
  apply();
  listen(() => { apply(); remember(); }, (changed) => { if (changed.id === "key") values(); });
}

start();
