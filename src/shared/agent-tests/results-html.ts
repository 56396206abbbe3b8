/** Results as one page without a script, which loads nothing from elsewhere. Dark or light, as its reader's system is. */
import { formatDuration, formatMoney, formatTokens } from '../kernel/amounts.ts'
import type { CaseAttempt } from './agent-tests.ts'
import { attemptLines } from './attempt-lines.ts'
import { becauseText, caseCheckText } from './attempt-text.ts'
import { createGrid, type GridFigures, type GridInput, type GridTotal } from './grid.ts'

export interface HtmlOptions extends GridInput {
  readonly agent: string
  /** When the page is written, in ms since the epoch. */
  readonly at: number
}

export function resultsHtml(options: HtmlOptions): string {
  const { agent, at } = options
  const title = `${agent}: test results`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="dark light">
<meta name="referrer" content="no-referrer">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">
<title>${escaped(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${escaped(title)}</h1>
<p class="quiet">${minuteOf(at)}. Each attempt is an agent with a folder of its own.</p>
${table(options)}
${problems(options)}
${READING}
</main>
</body>
</html>
`
}

const minuteOf = (at: number): string =>
  `${new Date(at).toISOString().slice(0, 'yyyy-mm-ddThh:mm'.length).replace('T', ' ')} UTC`

function table(input: GridInput): string {
  const { rows, totals } = createGrid(input)
  const heads = input.versions.map(
    ({ title, model, note }) =>
      `<th scope="col">${escaped(title)}<small>${escaped([model, note].filter((part) => part !== '').join(' · '))}</small></th>`,
  )
  const body = rows.map(({ case: { name, checks }, cells }) => {
    const wanted = checks.map(caseCheckText).join(', ')
    const head = `<th scope="row">${escaped(name)}<small>${escaped(wanted)}</small></th>`
    return `<tr>${head}${cells.map((cell) => td(cell, ticks(cell.attempts))).join('')}</tr>`
  })
  const foot = totals.map((total) => td(total, '', casesTag(total)))
  return `<div class="scroll"><table>
<caption>Passed attempts, by case and version</caption>
<thead><tr><th scope="col">Case</th>${heads.join('')}</tr></thead>
<tbody>
${body.join('\n')}
</tbody>
<tfoot><tr><th scope="row">All cases<small>medians of one attempt</small></th>${foot.join('')}</tr></tfoot>
</table></div>`
}

function td(
  figures: GridFigures,
  before: string,
  after = tag(figures.judgment ?? '', figures.judgment),
): string {
  const { passed, counted, interval, usd, ms, tokens } = figures
  if (counted === 0) return `<td>${before} <span class="quiet">nothing counts yet</span></td>`
  const costs = [
    usd === null ? [] : formatMoney(usd),
    ms === null ? [] : formatDuration(ms),
    tokens === null ? [] : formatTokens(tokens),
  ].flat()
  return `<td class="${figures.judgment ?? ''}">${before} <b>${passed} of ${counted}</b> ${after}
<small>${percent(interval.low)} to ${percent(interval.high)}${chanceText(figures.chance)}</small>
<small>${costs.join(' · ')}</small></td>`
}

const percent = (rate: number): string => `${Math.round(rate * 100)}%`

function chanceText(chance: number | null): string {
  if (chance === null) return ''
  if (chance < 0.001) return ', p &lt; 0.001'
  return `, p = ${chance > 0.99 ? '1' : chance.toFixed(chance < 0.1 ? 3 : 2)}`
}

const tag = (text: string, kind: string | null): string =>
  kind === null ? '' : `<span class="tag ${kind}">${escaped(text)}</span>`

function casesTag({ better, worse, judgment }: GridTotal): string {
  return [
    tag(`all in all ${judgment}`, judgment),
    tag(`${worse} worse`, worse > 0 ? 'worse' : null),
    tag(`${better} better`, better > 0 ? 'better' : null),
  ].join(' ')
}

const ticks = (attempts: readonly CaseAttempt[]): string =>
  `<span class="ticks" aria-hidden="true">${attempts.map(({ state }) => `<i class="${state}"></i>`).join('')}</span>`

function problems(input: GridInput): string {
  const shown = new Set(input.versions.map(({ id }) => id))
  const lines = attemptLines(input).filter(
    ({ attempt: { state, versionId } }) => (state === 'failed' || state === 'broken') && shown.has(versionId),
  )
  if (lines.length === 0) return ''
  const items = lines.map(({ attempt, name, version }) => {
    const what = attempt.state === 'failed' ? 'failed' : 'could not be run'
    const head = `${name}, ${version?.title ?? ''}, attempt ${attempt.number} ${what}`
    return `<details><summary>${escaped(head)}</summary><pre>${escaped(becauseText(attempt))}</pre></details>`
  })
  return `<h2>Attempts that did not pass</h2>\n${items.join('\n')}`
}

const READING = `<h2>How to read this</h2>
<p>Agents do not do the same twice, so a few attempts say only roughly how often a version passes. Below each result is the range that the pass rate probably has (95%, Wilson). “Better” and “worse” compare with the version in use, and stand only where chance makes such a difference in at most 5 of 100 comparisons (Fisher’s exact test; p is how often it does). Without these words, the difference may be chance. Attempts that were stopped or could not be run do not count.</p>`

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

/** The colors are those of the window. */
const STYLE = `
:root { color-scheme: dark light;
  --bg: light-dark(oklch(0.99 0.002 265), oklch(0.185 0.009 265)); --head: light-dark(oklch(0.965 0.004 265), oklch(0.215 0.01 265));
  --line: light-dark(oklch(0.905 0.006 265), oklch(0.295 0.012 265)); --fg: light-dark(oklch(0.22 0.012 265), oklch(0.955 0.004 265));
  --quiet: light-dark(oklch(0.45 0.014 265), oklch(0.73 0.012 265));
  --ok: light-dark(oklch(0.5 0.13 155), oklch(0.76 0.15 155)); --bad: light-dark(oklch(0.53 0.2 25), oklch(0.72 0.17 25)); }
body { margin: 0; background: var(--bg); color: var(--fg); font: 400 13px/1.5 Inter, ui-sans-serif, system-ui, sans-serif; }
main { max-width: 1200px; margin: 0 auto; padding: 24px 16px; }
h1 { font-size: 20px; margin: 0; } h2 { font-size: 15px; margin: 24px 0 8px; }
p { max-width: 72ch; } .quiet, small, caption { color: var(--quiet); font-weight: 400; }
.scroll { overflow-x: auto; } table { border-collapse: collapse; width: 100%; }
caption { text-align: left; padding: 8px 0; } th, td { text-align: left; vertical-align: top; padding: 8px 12px; border: 1px solid var(--line); }
th { font-weight: 600; } thead, tfoot { background: var(--head); } small { display: block; font-size: 12px; font-variant-numeric: tabular-nums; }
td { white-space: nowrap; } tbody th { min-width: 180px; }
.ticks { display: inline-flex; gap: 2px; vertical-align: -1px; } .ticks i { width: 7px; height: 12px; border-radius: 2px; border: 1px solid var(--quiet); box-sizing: border-box; }
.ticks .passed { background: var(--ok); border-color: var(--ok); } .ticks .failed { background: var(--bad); border-color: var(--bad); }
.tag { border: 1px solid; border-radius: 5px; padding: 0 5px; font-size: 12px; } .tag.worse { color: var(--bad); } .tag.better { color: var(--ok); }
details { border-top: 1px solid var(--line); padding: 6px 0; } summary { cursor: pointer; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; background: var(--head); border-radius: 5px; padding: 8px 12px; font: 12px/1.5 "JetBrains Mono", ui-monospace, monospace; }
`
