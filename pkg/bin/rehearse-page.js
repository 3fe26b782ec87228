// The report card of `npx halfopen rehearse --html`: one file without scripts, light and dark, the requests of each scenario in a row.

const MARKS = { done: 'Done', once: 'Once', waste: 'Thrift', ended: 'Ended', clean: 'Clean' };
/** What the marks mean, for readers who meet them first here. */
const MEANINGS = {
  done: 'The task is done, or the user reads honestly that it is not.',
  once: 'No effect happened twice.',
  waste: 'The share of requests, tokens and seconds that the best agent needs as well.',
  ended: 'The agent ended by itself, within its limits.',
  clean: 'The user read no stack trace, no key and no words of a provider.',
};
/** More of a text than this does not fit a card. */
const MOST = 240;

const escaped = (text) => String(text).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
const short = (text) => escaped(text.length > MOST ? `${text.slice(0, MOST)}…` : text);
export const mean = (numbers) => numbers.reduce((sum, one) => sum + one, 0) / Math.max(1, numbers.length);
const grade = (value) => (value >= 90 ? 'good' : value >= 60 ? 'fair' : 'bad');

/**
 * @param results the results of `rehearse`, a scenario each.
 * @returns the page.
 */
export function page({ total, results, command, speed, date, about }) {
  const groups = [...new Set(results.map(({ group }) => group))];
  const rows = groups.map((group) => groupRow(group, results));
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Rehearsal: ${total.toFixed(1)} of 100</title>
<style>${STYLE}</style>
<main>
<header>
<p class="total ${grade(total)}"><b>${total.toFixed(1)}</b> of 100</p>
<div><h1>Rehearsal</h1>
<p><code>${escaped(command.join(' '))}</code></p>
<p class="quiet">${results.length} scenarios, ${escaped(date)}. The provider's waits were ${speed} times shorter than real ones.</p></div>
</header>
<div class="scroll"><table>
<thead><tr><th>Group</th><th>Scenarios</th><th>Total</th>${Object.entries(MARKS)
    .map(([mark, name]) => `<th title="${escaped(MEANINGS[mark])}">${name}</th>`)
    .join('')}</tr></thead>
<tbody>${rows.join('')}</tbody></table></div>
<details class="quiet"><summary>What the marks mean</summary><dl>${Object.entries(MARKS)
    .map(([mark, name]) => `<dt>${name}</dt><dd>${escaped(MEANINGS[mark])}</dd>`)
    .join('')}</dl></details>
${groups
  .map(
    (group) =>
      `<h2>${escaped(group)}</h2>${results
        .filter((one) => one.group === group)
        .map((one) => scenario(one, about(one.scenario)))
        .join('')}`,
  )
  .join('\n')}
</main>
</html>
`;
}

function groupRow(group, results) {
  const own = results.filter((one) => one.group === group).map(({ score }) => score);
  const total = mean(own.map((score) => score.total));
  const marks = Object.keys(MARKS).map((mark) => Math.round(100 * mean(own.map((score) => score[mark]))));
  return `<tr><th scope="row">${escaped(group)}</th><td>${own.length}</td><td><span class="bar ${grade(total)}" style="--share:${total.toFixed(0)}%">${total.toFixed(1)}</span></td>${marks.map((mark) => `<td class="${grade(mark)}">${mark} %</td>`).join('')}</tr>`;
}

function scenario({ scenario: name, score, requests, effects, output }, about) {
  const text = output.text.trim();
  const end = output.exitCode === null ? 'ended from outside' : `exit status ${output.exitCode}`;
  return `<details class="scenario"${score.total < 90 ? ' open' : ''}>
<summary><span class="score ${grade(score.total)}">${score.total}</span><b>${escaped(name)}</b><span class="quiet">${escaped(about)}</span></summary>
${score.why.length === 0 ? '' : `<ul>${score.why.map((why) => `<li>${escaped(why)}</li>`).join('')}</ul>`}
<ol class="requests" tabindex="0" aria-label="Requests, oldest first">${requests.map(card).join('')}<li class="user"><h3>The user read</h3><p>${text === '' ? '<i>nothing</i>' : short(text)}</p><p class="quiet">${end}, ${(output.ms / 1000).toFixed(1)} s${effects.length === 0 ? '' : `; effects: ${escaped(effects.map(({ tool }) => tool).join(', '))}`}</p></li></ol>
</details>`;
}

function card({ at, wire, name, isStreamed, body, rule, fault, status, answer, ms }) {
  const isBad = rule !== undefined || status === 0 || status >= 400;
  const shown = status === 0 ? 'no answer' : status;
  return `<li class="${isBad ? 'bad' : fault ? 'fair' : 'good'}">
<h3>${escaped(wire === 'tool' || wire === 'mcp' ? `${wire}: ${name}` : name || wire)}<span class="status">${shown}</span></h3>
<p class="quiet">${at} ms, took ${ms} ms${isStreamed ? ', streamed' : ''}</p>
${rule === undefined ? '' : `<p class="mark">broke the rule <b>${escaped(rule)}</b></p>`}${fault === undefined ? '' : `<p class="mark">fault: <b>${escaped(fault)}</b></p>`}
<p><i>sent</i> ${short(sent(body))}</p>
<p><i>got</i> ${short(answer === '' ? '(nothing)' : answer)}</p></li>`;
}

/** What is new in a request: its last message, or the arguments of a tool. */
function sent(body) {
  const list = body?.messages ?? body?.contents ?? (Array.isArray(body?.input) ? body.input : undefined);
  if (list === undefined) return JSON.stringify(body?.params ?? body?.input ?? body) ?? '';
  const last = list.at(-1);
  const content = last?.content ?? last?.parts ?? last?.output ?? last;
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  return `${list.length === 1 ? 'one message' : `${list.length} messages, the last`}: ${text}`;
}

const STYLE = `
:root{--ground:#fff;--card:#f6f7f9;--ink:#1b1f24;--quiet:#5a6472;--line:#d9dee5;--good:#146c3a;--fair:#8a5a00;--bad:#b3261e}
@media (prefers-color-scheme:dark){:root{--ground:#14171b;--card:#1d2127;--ink:#e8ebef;--quiet:#a0a9b5;--line:#343b45;--good:#63cf92;--fair:#e6b450;--bad:#ff8a80}}
*{box-sizing:border-box}body{margin:0;background:var(--ground);color:var(--ink);font:15px/1.5 system-ui,sans-serif}
main{max-width:1200px;margin:0 auto;padding:24px 16px}
header{display:flex;flex-wrap:wrap;gap:8px 32px;align-items:center;margin-bottom:24px}header p{margin:0}h1{font-size:22px;margin:0}
code{overflow-wrap:anywhere}
.total b{font-size:52px;line-height:1;font-variant-numeric:tabular-nums}
.good{--tone:var(--good)}.fair{--tone:var(--fair)}.bad{--tone:var(--bad)}
.total b,td.good,td.fair,td.bad,.score,.status{color:var(--tone)}
.quiet{color:var(--quiet);font-size:13px}
.scroll{overflow-x:auto}table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}
th,td{text-align:left;padding:6px 12px 6px 0;border-bottom:1px solid var(--line);white-space:nowrap}thead th{color:var(--quiet);font-weight:500;font-size:13px}
.bar{display:block;min-width:110px;color:var(--ink);border-bottom:4px solid;border-image:linear-gradient(90deg,var(--tone) var(--share),var(--line) var(--share)) 1}
h2{margin:32px 0 8px;font-size:17px;text-transform:capitalize}
dl{display:grid;grid-template-columns:max-content 1fr;gap:4px 16px}dd{margin:0}
.scenario{border-top:1px solid var(--line);padding:8px 0}
summary{cursor:pointer}.scenario summary{display:flex;flex-wrap:wrap;gap:2px 12px;align-items:baseline}
.score{width:44px;font-weight:700;font-variant-numeric:tabular-nums}
.scenario ul{margin:8px 0;padding-left:20px}
.requests{list-style:none;margin:8px 0;padding:0 0 8px;display:flex;gap:8px;overflow-x:auto}
.requests li{flex:0 0 250px;background:var(--card);border:1px solid var(--line);border-top:3px solid var(--tone,var(--ink));border-radius:6px;padding:8px 10px;font-size:13px}
.requests h3{display:flex;justify-content:space-between;gap:8px;margin:0;font-size:13px}.requests p{margin:4px 0 0;overflow-wrap:anywhere}
.requests .mark{color:var(--tone)}i{color:var(--quiet)}.user{--tone:var(--ink)}
@media (max-width:640px){.requests{flex-direction:column}.requests li{flex:none}.scenario summary .quiet{flex-basis:100%}.total b{font-size:40px}}
`;
