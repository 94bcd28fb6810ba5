"use strict";
// All that was said is in `turns`; the server keeps nothing. A turn is {who: "you" or the name of a model, text, read:
// what the model is given, where that is another text}, and a distraction is {alien: true, text}.
let turns = [];
// The turn before which a distraction is inserted; undefined: the question.
let place;
// What came back for them: {full: with the distractions, plain: without, null if there are none}.
let runs = null;
// The step that is looked at: {run: "full" or "plain", step}; null: the mean over all steps.
let picked = null;
let asked = 0, draw = 0;
let site = {models: [], distractions: [], decode: "greedy"};

const EXAMPLE = ["my wifi does not work after the update", "which card do you have?",
                 "it is a broadcom card, how do i install the driver?"];

const get = id => document.getElementById(id);
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "onclick") element.addEventListener("click", value);
    else if (value !== undefined && value !== false) element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}
// Where who types goes on after the button that was pressed is gone.
const rest = id => get(id).focus({preventScroll: true});
const percent = x => Number.isFinite(x) ? Math.round(100 * x) + " %" : "–";
const isAlien = turn => turn.alien === true;
const plainTurns = () => turns.filter(turn => !isAlien(turn));
const mean = numbers => numbers.reduce((sum, x) => sum + x, 0) / numbers.length;

// ---- the server

// Asks a few times where the server is busy, or was taken from us by a crowd at its door.
async function ask(place, question) {
  for (let left = 3; ; --left) {
    try {
      return await ask_once(place, question);
    } catch (error) {
      if (!error.again || left === 0) throw error;
    }
    await new Promise(resolve => setTimeout(resolve, 300));
  }
}

async function ask_once(place, question) {
  let response, json = {};
  try {
    response = await fetch(place, question && {
      method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify(question)});
  } catch {
    throw Object.assign(new Error("The server does not answer. Is `heed chat --web` still running?"), {again: true});
  }
  try { json = await response.json(); } catch { /* the status says enough */ }
  if (!response.ok) {
    throw Object.assign(new Error(json.error ?? "The server answered " + response.status + "."),
                        {again: response.status === 503, refused: response.status < 500});
  }
  return json;
}

function respond(history) {
  return ask("api/respond", {
    model: get("model").value, decode: get("decode").value, draw,
    history: history.map(t => ({text: t.read ?? t.text, distraction: isAlien(t)}))});
}

// Asks for the answer to the last turn; an answer to an older question that comes late is dropped. `undo` takes back a
// turn that the server refuses, or it would refuse all that follows.
async function answer(undo) {
  const mine = ++asked;
  runs = picked = null;
  complain("");
  draw_page();
  if (turns.length > 0) {
    report("The model reads …");
    try {
      const full = await respond(turns);
      const plain = turns.some(isAlien) ? await respond(plainTurns()) : null;
      if (mine !== asked) return;
      runs = {full, plain};
      report((plain ? "With the distraction the" : "The") + " model says: " + (full.answer.text || "nothing") + ". " +
             (full.attention === "none" ? "" : shares_of("full").textContent), true);
    } catch (error) {
      if (mine !== asked) return;
      report("");
      complain(error.message);
      if (error.refused) undo?.();
    }
  } else {
    report("");
  }
  draw_page();
}

// In words for who listens; what is drawn says the same once it is `heard`.
function report(text, heard = false) {
  get("status").textContent = text;
  get("status").classList.toggle("heard", heard);
}
function complain(text) {
  get("mistake").textContent = text;
  get("mistake").hidden = !text;
}

// ---- what is said

// Gives a function that restores what was said and answered until now.
function keeper() {
  const before = [[...turns], runs];
  return () => { [turns, runs] = before; };
}

function say(text) {
  const reply = runs?.full, undo = keeper();
  if (reply && reply.answer.words.length > 0) {
    turns.push({who: reply.model, text: reply.answer.text, read: reply.answer.read});
  }
  turns.push({who: "you", text});
  return answer(() => {
    undo();
    get("text").value ||= text;
  });
}

function insert(texts, at) {
  const undo = keeper();
  turns.splice(at, 0, ...texts.map(text => ({alien: true, text})));
  return answer(undo);
}

function remove(turn) {
  turns = turns.filter(t => t !== turn);
  answer();
  rest("insert");
}

// ---- pictures

// The share of utterance k of a run in the step that is looked at, and what it is of an even share.
function look(name, k) {
  const run = runs[name], u = run.utterances[k];
  const step = picked?.run === name ? picked.step : null;
  const share = step === null ? mean(u.steps) : u.steps[step];
  return {share, score: share / u.even};
}

// The score of a full bar: all bars have the same scale, and an average one never looks full.
function full_bar() {
  const scores = ["full", "plain"].flatMap(name => runs?.[name]?.utterances.flatMap(u =>
    [mean(u.steps), ...(picked?.run === name ? u.steps : [])].map(x => x / u.even)) ?? []);
  return Math.max(2, ...scores.filter(Number.isFinite));
}

function meter(label, where, {share, score}, full) {
  const fill = make("span", {class: "fill"}), track = make("span", {class: "track"}, fill);
  track.setAttribute("aria-hidden", "true");
  track.style.setProperty("--average", 100 / full + "%");
  fill.style.width = 100 * Math.min(1, Math.max(0, score / full || 0)) + "%";
  const title = percent(share) + " of the attention" + (label ? ", " + label + " the distraction" : "");
  const number = make("span", {class: "number", title}, percent(score));
  const parts = label ? [make("span", {class: "name"}, label), track, number] : [track, number];
  return make("div", {class: "meter " + where + (label ? " named" : "")}, ...parts);
}

// The share of each word of an utterance, and of its end, in a step or (null) in the mean.
function word_shares(u, step) {
  if (!u.word_steps || step !== null) return u.word_steps?.[step];
  return u.word_steps[0].map((_, j) => mean(u.word_steps.map(weights => weights[j])));
}

// The words of an utterance where that says something: they have shares, or some are not known.
function words_of(u, step) {
  const shares = word_shares(u, step);
  if (!shares && !u.unknown.includes(1)) return null;
  const most = shares && Math.max(...runs.full.utterances.flatMap(v => word_shares(v, step)));
  const box = make("div", {class: "words"});
  u.words.forEach((word, j) => box.append(chip(word, u.unknown[j], shares?.[j], most)));
  if (shares) {
    box.append(chip("end", 0, shares[u.words.length], most));
    box.lastChild.classList.add("end");
  }
  return box;
}

// The shade says how a word's share compares with the largest one; strong words say their number,
// so that nobody has to tell shades apart.
function chip(word, unknown, weight, most) {
  const says = (unknown ? "not in the vocabulary: the model reads <unk>" : "") +
    (weight === undefined ? "" : (unknown ? "; " : "") + (100 * weight).toFixed(1) + " % of the attention");
  const element = make("span", {class: "word" + (unknown ? " unknown" : ""), title: says}, word);
  if (unknown) element.append(make("small", {"aria-hidden": "true"}, "?"), make("span", {class: "unseen"}, " (not known)"));
  if (weight !== undefined) element.style.setProperty("--heat", weight / most || 0);
  if (weight >= 0.05 || (weight > 0 && weight === most)) element.append(make("small", {}, percent(weight)));
  return element;
}

function tag_of(turn, last) {
  if (isAlien(turn)) return make("span", {class: "tag"}, "✗ distraction");
  if (last) return make("span", {class: "tag"}, "question");
  return "";
}

function turn_element(turn, i, full) {
  const last = i === turns.length - 1, k = runs ? i - runs.full.forgotten : -1;
  const said = make("div", {class: "said"}, make("span", {class: "k"}, String(i + 1)), " ", tag_of(turn, last), " ",
                    make("span", {class: "who"}, turn.who ?? ""), " ", make("bdi", {}, turn.text));
  if (isAlien(turn)) {
    said.append(make("button", {class: "remove", type: "button", onclick: () => remove(turn),
                                "aria-label": "Remove the distraction: " + turn.text}, "Remove"));
  }
  const bars = make("div", {class: "bars"});
  const kind = isAlien(turn) ? " alien" : last ? " query" : "";
  const element = make("li", {class: "turn" + kind}, said, bars);
  if (runs && k < 0) {
    element.classList.add("unread");
    bars.append(make("span", {class: "note"}, "too long ago: not read"));
  } else if (runs) {
    const u = runs.full.utterances[k], words = words_of(u, picked?.run === "full" ? picked.step : null);
    if (words) said.append(words);
    if (u.cut) said.append(make("p", {class: "note"}, "(the last " + u.cut + " words are not read)"));
    const without = runs.plain && !isAlien(turn) ? plainTurns().indexOf(turn) - runs.plain.forgotten : -1;
    if (without >= 0) bars.append(meter("without", "without", look("plain", without), full));
    bars.append(meter(runs.plain ? "with" : "", "with", look("full", k), full));
  }
  return element;
}

// ---- answers

// One button for each word that was written, and one for their mean; arrow keys go along them, and Tab past them.
function steps_of(name) {
  const run = runs[name];
  const words = run.answer.finished ? [...run.answer.words, "(end)"] : run.answer.words;
  const box = make("div", {class: "steps", role: "toolbar", "aria-label": "Words of the answer"});
  const add = (word, step, css) => {
    const pressed = step === null ? picked?.run !== name : picked?.run === name && picked.step === step;
    box.append(make("button", {type: "button", class: css, "aria-pressed": String(pressed), tabindex: pressed ? 0 : -1,
                               "data-run": name, "data-step": step ?? "mean",
                               onclick: () => pick(name, step)}, word));
  };
  add("all words", null, "mean");
  words.forEach((word, step) => add(word, step, ""));
  box.addEventListener("keydown", event => {
    const buttons = [...box.children], at = buttons.indexOf(document.activeElement);
    const to = at + (event.key === "ArrowRight") - (event.key === "ArrowLeft");
    if (at < 0 || to === at || !buttons[to]) return;
    event.preventDefault();
    buttons[to].click();
  });
  return box;
}

function pick(run, step) {
  picked = step === null ? null : {run, step};
  draw_page();
  const button = document.querySelector(`[data-run="${run}"][data-step="${step ?? "mean"}"]`);
  button.focus();
  report(button.textContent + ": " + shares_of(run).textContent, true);
}

// "Of its attention went 21 % to the distractions, ..."
function shares_of(name) {
  const run = runs[name], sums = {alien: 0, history: 0, query: 0};
  run.utterances.forEach((u, k) => {
    const last = k === run.utterances.length - 1;
    sums[u.distraction ? "alien" : last ? "query" : "history"] += look(name, k).share;
  });
  const text = make("p", {class: "shares"}, "Of its attention went ");
  if (run.utterances.some(u => u.distraction)) {
    text.append(make("strong", {}, percent(sums.alien)), " to the distractions, ");
  }
  text.append(make("strong", {}, percent(sums.history)), " to the history and ",
              make("strong", {}, percent(sums.query)), " to the question.");
  if (run.das_ratio !== null) {
    text.append(" DAS ratio of the whole answer ", make("strong", {}, run.das_ratio.toFixed(2)),
                ": a distraction gets that much of what an utterance of the history gets.");
  }
  return text;
}

function run_element(name, title) {
  const run = runs[name];
  const said = make("strong", {class: "said-text"}, run.answer.text || "(says nothing)");
  const element = make("div", {class: "run", "data-run": name},
                       make("div", {}, make("span", {class: "what"}, title), " ", make("bdi", {}, said)));
  if (run.attention === "steps" && run.utterances[0].steps.length > 1) element.append(steps_of(name));
  if (run.attention !== "none") element.append(shares_of(name));
  if (run.choices) element.append(make("ol", {class: "choices"}, ...run.choices.map(choice_element)));
  return element;
}

// One of the best texts of a pool, and why.
function choice_element(choice) {
  const common = choice.common.length ? "in common: " + choice.common.join(" ") : "no word in common";
  return make("li", {}, make("bdi", {}, choice.text), " ",
              make("span", {class: "note"}, `(${choice.score.toFixed(3)}; ${common})`));
}

const HOW = {
  none: "This structure has no attention: it reads everything into one state. Even bars are shown.",
  chosen: "It chooses out of a pool: its best texts with their scores, and the words that they have in common with the conversation. It looks at the conversation once, if at all.",
  once: "This structure looks at the conversation once, before it writes: the same for all words.",
  steps: "This structure looks anew for each word. Choose a word (or go along with the arrow keys) to see where it looked then."};

function draw_answers() {
  get("answers").hidden = !runs;
  if (!runs) return;
  get("runs").replaceChildren();
  if (runs.plain) get("runs").append(run_element("plain", "without the distraction:"));
  get("runs").append(run_element("full", runs.plain ? "with the distraction:" : runs.full.model + ":"));
  const same = runs.plain && runs.plain.answer.text === runs.full.answer.text;
  get("how").textContent = (same ? "The two answers are the same; compare where the model looked. " : "") +
    HOW[runs.full.choices ? "chosen" : runs.full.attention];
}

// ---- the page

function draw_places() {
  const places = turns.map((turn, i) => make("option", {value: i},
    (i === turns.length - 1 ? "directly before the question, " : "before ") + (i + 1) + ": " +
    turn.text.slice(0, 32)));
  get("where").replaceChildren(...(places.length ? places : [make("option", {value: 0}, "say something first")]));
  const at = turns.indexOf(place);
  get("where").value = at < 0 ? Math.max(0, turns.length - 1) : at;
  get("insert").disabled = turns.length === 0;
  get("remove-all").hidden = !turns.some(isAlien);
}

function draw_page() {
  const m = site.models.find(m => m.name === get("model").value);
  const form = m?.pool ? `${m.pool} texts` : m && `${m.layers} layer${m.layers === 1 ? "" : "s"} of ${m.hidden}`;
  get("expect").textContent = m ? `${m.structure}, ${form}. ${m.expect}` : "";
  const full = full_bar();
  get("talk").replaceChildren(...turns.map((turn, i) => turn_element(turn, i, full)));
  get("talk").hidden = get("legend").hidden = turns.length === 0;
  get("legend-alien").hidden = !turns.some(isAlien);
  get("empty").hidden = turns.length > 0;
  get("again").disabled = turns.length === 0;
  draw_answers();
  draw_places();
}

function draw_what() {
  const own = get("what").value === "own";
  get("own-label").hidden = !own;
  get("own").required = own;
}

function listen() {
  get("say").addEventListener("submit", event => {
    event.preventDefault();
    const text = get("text").value.trim();
    get("text").value = "";
    if (text) say(text);
  });
  get("distract").addEventListener("submit", event => {
    event.preventDefault();
    const set = site.distractions.find(d => d.name === get("what").value);
    const texts = set ? set.texts : [get("own").value.trim()];
    if (texts[0]) insert(texts, Number(get("where").value));
  });
  get("settings").addEventListener("submit", event => event.preventDefault());
  for (const id of ["model", "decode"]) get(id).addEventListener("change", () => answer());
  get("what").addEventListener("change", draw_what);
  get("where").addEventListener("change", event => { place = turns.slice(0, -1)[event.target.value]; });
  get("again").addEventListener("click", () => { ++draw; answer(); });
  get("reset").addEventListener("click", () => { turns = []; answer(); get("text").focus(); });
  get("remove-all").addEventListener("click", () => { turns = plainTurns(); answer(); rest("insert"); });
  get("example").addEventListener("click", () => {
    turns = EXAMPLE.map((text, i) => ({who: i % 2 ? "helper" : "you", text}));
    answer();
    rest("text");
  });
}

async function start() {
  listen();
  try {
    site = await ask("api/models");
  } catch (error) {
    complain(error.message);
    return;
  }
  for (const m of site.models) {
    const trained = m.distractions === null ? "" : (m.distractions > 0 ? " (with" : " (without") + " distractions)";
    get("model").append(make("option", {value: m.name}, m.name + trained));
  }
  for (const d of site.distractions) {
    get("what").append(make("option", {value: d.name}, d.name + ": " + d.texts.join(" / ")));
  }
  get("what").append(make("option", {value: "own"}, "your own words"));
  get("decode").value = site.decode;
  draw_what();
  draw_page();
}

start();
