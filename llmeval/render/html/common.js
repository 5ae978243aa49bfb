"use strict";

/* Text from a report enters the page as text nodes only, and what would not be seen in it is written out. */
const INVISIBLE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff]|[\u{e0000}-\u{e007f}]/gu;

function visible(text) {
  return String(text).replace(INVISIBLE, (char) => {
    const code = char.codePointAt(0).toString(16);
    return code.length <= 2 ? "\\x" + code.padStart(2, "0") : code.length <= 4 ? "\\u" + code.padStart(4, "0") : "\\U" + code.padStart(8, "0");
  });
}

function make(name, options, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(options || {})) {
    if (key === "text") made.textContent = visible(value);
    else if (key === "class") made.className = value;
    else made.setAttribute(key, value);
  }
  made.append(...children.filter((child) => child !== null));
  return made;
}

function worded(value) {
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}

function block(title, value) {
  return make("div", {}, make("h3", {text: title}), make("pre", {text: value === "" ? "(empty)" : worded(value), tabindex: "0"}));
}

function isConversation(value) {
  return value !== null && typeof value === "object" && Array.isArray(value.messages) && "completeness" in value;
}

function content(part) {
  if (Array.isArray(part)) return part.map(content).join("\n");
  return part === null || part === undefined ? "" : worded(part);
}

function message(one) {
  const role = one.role + (one.name ? " " + one.name : "") + (one.error ? " (error)" : "");
  const made = make("div", {class: "message " + (one.role === "user" ? "user" : one.role === "tool" ? "tool" : "")}, make("div", {class: "role", text: role}));
  const text = content(one.content);
  if (text) made.append(make("div", {class: "content", text}));
  for (const call of one.tool_calls || []) {
    let told = "calls " + call.name + "(" + JSON.stringify(call.arguments, null, 1) + ")";
    if ("result" in call) told += "\n→ " + (call.error ? "error: " : "") + worded(call.result);
    made.append(make("pre", {text: told, tabindex: "0"}));
  }
  return made;
}

function conversation(value) {
  const made = make("div", {}, make("h3", {text: "conversation" + (value.completeness ? ", " + value.completeness : "")}));
  made.append(make("div", {class: "chat"}, ...value.messages.map(message)));
  for (const key of ["output", "state", "citations"]) if (key in value) made.append(block(key, value[key]));
  return made;
}

function status(word, text) {
  return make("span", {class: "status " + word, text: text === undefined ? word : text});
}

const PAGE = 100;
const field = (id) => document.getElementById(id);
const paged = {found: [], shown: 0, row: null};

/* Lists what was found, a page at a time. */
function list(found, row) {
  Object.assign(paged, {found, row, shown: 0});
  field("trials").replaceChildren();
  more();
}

function more() {
  const next = paged.found.slice(paged.shown, paged.shown + PAGE);
  field("trials").append(...next.map(paged.row));
  paged.shown += next.length;
  field("more").hidden = paged.shown >= paged.found.length;
  field("more").textContent = `Show more (${(paged.found.length - paged.shown).toLocaleString("en")} left)`;
}

/* An item that shows its body when it is opened for the first time. */
function item(summary, body) {
  const details = make("details", {}, make("summary", {}, ...summary));
  details.addEventListener("toggle", () => {
    if (details.open && details.children.length === 1) details.append(body());
  });
  return make("li", {}, details);
}

/* A checkbox for each kind of item that there is. */
function kinds(words, count, label) {
  for (const word of words) {
    const box = make("input", {type: "checkbox", value: word});
    box.checked = true;
    const number = count(word);
    field("status").append(make("label", number ? {} : {hidden: ""}, box, label(word), make("span", {class: "dim", text: number.toLocaleString("en")})));
  }
}

function checked() {
  return new Set([...field("status").querySelectorAll("input:checked")].map((box) => box.value));
}

/* Keeps the list as the filters say, and the keyboard at hand. */
function listen(changed, before) {
  let waiting = 0;
  field("filters").addEventListener("input", (event) => {
    before(event.target);
    clearTimeout(waiting);
    waiting = setTimeout(changed, event.target.id === "text" ? 80 : 0);
  });
  field("filters").addEventListener("submit", (event) => event.preventDefault());
  field("more").addEventListener("click", more);
  document.addEventListener("keydown", (event) => {
    const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement.tagName);
    if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey) { event.preventDefault(); field("text").focus(); }
    if (event.key === "Escape" && document.activeElement === field("text")) { field("text").value = ""; changed(); }
  });
}

function choices(select, options) {
  select.replaceChildren(...options.map(([value, text]) => make("option", {value, text})));
}
