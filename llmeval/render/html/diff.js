const DATA = JSON.parse(document.getElementById("data").textContent);

function haystack(one) {
  if (one.haystack === undefined) {
    const parts = [one.title, one.inputs, one.outputs, one.reasons];
    one.haystack = parts.map((part) => (part === undefined || part === null ? "" : worded(part))).join("\n").toLowerCase();
  }
  return one.haystack;
}

function apply() {
  const text = field("text").value.trim().toLowerCase();
  const changes = checked();
  const found = DATA.cases.filter((one) => changes.has(one.change) && (!text || haystack(one).includes(text)));
  list(found, row);
  field("count").textContent = found.length === DATA.cases.length
    ? `All ${found.length.toLocaleString("en")} cases`
    : `${found.length.toLocaleString("en")} of ${DATA.cases.length.toLocaleString("en")} cases`;
}

function row(one) {
  return item([
    make("span", {class: one.tone, text: one.change}),
    make("span", {class: "name", text: one.title}),
    make("span", {class: "marks", text: one.reasons.map((reason) => reason.name).join(", ")}),
    make("span", {class: "figures", text: one.outcome}),
  ], () => body(one));
}

/* One side's text; the words that the other side does not have are marked. */
function side(letter, pieces, tag) {
  const made = make("pre", {tabindex: "0"});
  for (const [text, changed] of pieces) made.append(changed && pieces.length > 1 ? make(tag, {text}) : visible(text));
  return make("div", {}, make("h3", {text: letter}), made);
}

function sides(pair) {
  const [before, after] = pair;
  return make("div", {class: "sides"},
    before === null ? make("div") : side("A", before, "del"),
    after === null ? make("div") : side("B", after, "ins"));
}

function body(one) {
  const made = make("div", {class: "body"});
  for (const reason of one.reasons) {
    made.append(make("h3", {text: `${reason.name}: ${reason.statuses}`}));
    if (reason.sides.some((pieces) => pieces !== null)) made.append(sides(reason.sides));
  }
  if (one.outputs.some((pieces) => pieces !== null)) made.append(make("h3", {text: "output"}), sides(one.outputs));
  made.append(make("div", {class: "pair"}, ...one.inputs.map(([title, value]) => block(title, value))));
  if (one.again) made.append(block("run it again", one.again));
  return made;
}

kinds(DATA.changes, (word) => DATA.cases.filter((one) => one.change === word).length, (word) => make("span", {text: word}));
apply();
listen(apply, () => {});
