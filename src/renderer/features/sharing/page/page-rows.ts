/** The rows of a transcript as elements: messages, answers, folded calls with colored diffs. */
import { makeVisible } from '../../../../shared/kernel/visible-text.ts'
import type { SharedDiff, SharedRow } from '../../../../shared/sharing/page-data.ts'
import { parseUnifiedDiff } from '../../../ui/unified-diff.ts'
import { h } from './dom.ts'
import { codeBlock, markdownOf } from './page-markdown.ts'

/** What a row needs to know about others. */
export interface RowContext {
  readonly nameOf: (agentId: string) => string
  readonly showAgent: (agentId: string) => void
}

export function rowElement(row: SharedRow, context: RowContext): HTMLElement {
  return h('div', { class: `row ${row.kind}`, 'data-seq': row.seq }, ...partsOf(row, context))
}

function partsOf(row: SharedRow, { nameOf, showAgent }: RowContext): readonly Node[] {
  switch (row.kind) {
    case 'message':
      return [
        h('p', { class: 'from' }, makeVisible(row.from)),
        h('p', { class: 'plain' }, makeVisible(row.text)),
        ...row.images.map((src) => h('img', { src, alt: `Image of ${row.from}` })),
      ]
    case 'text':
      return [markdownOf(row.text)]
    case 'thinking':
      return [folded('Thinking', () => [markdownOf(row.text)])]
    case 'call': {
      const { title, note, failed, diff, input, output } = row
      const head = [
        h('span', { class: 'title' }, makeVisible(title)),
        note === '' ? null : h('span', { class: failed ? 'bad' : 'aside' }, ` ${makeVisible(note)}`),
      ]
      return [
        folded(head, () => [
          ...(diff === null ? [] : [diffElement(diff)]),
          ...(input === '' ? [] : [codeBlock(input)]),
          ...(output === '' ? [] : [codeBlock(output)]),
        ]),
      ]
    }
    case 'note':
      return [h('p', { class: row.failed ? 'bad plain' : 'aside plain' }, makeVisible(row.text))]
    case 'agents':
      return [
        ...row.ids.map((id) =>
          h(
            'p',
            {},
            'Started ',
            h('button', { type: 'button', class: 'link', on: { click: () => showAgent(id) } }, nameOf(id)),
          ),
        ),
        ...row.failures.map((reason) => h('p', { class: 'bad' }, `Not started: ${makeVisible(reason)}`)),
      ]
  }
}

/** The body is made when it is first opened. */
function folded(title: string | readonly (Node | null)[], body: () => readonly Node[]): HTMLElement {
  const summary = h('summary', {}, ...(typeof title === 'string' ? [title] : title))
  const details = h('details', {}, summary)
  details.addEventListener('toggle', () => fillFold(details, body), { once: true })
  details.addEventListener('fill', () => fillFold(details, body))
  return details
}

function fillFold(details: HTMLElement, body: () => readonly Node[]): void {
  if (details.childElementCount === 1) details.append(...body())
}

/** Opens the folds of a row, so that their text is there to be found. */
export function openFolds(row: Element): void {
  for (const details of row.querySelectorAll('details')) {
    details.dispatchEvent(new Event('fill'))
    details.open = true
  }
}

const SIGNS = { added: '+', removed: '−', context: ' ', hunk: '' } as const

/** A diff with line numbers. Text that is none is shown as it is. */
export function diffElement({ path, patch }: SharedDiff): HTMLElement {
  const lines = parseUnifiedDiff(patch)
  if (lines.length === 0) return codeBlock(patch)
  const number = (line: number | null) => h('td', { class: 'number' }, line === null ? '' : String(line))
  const rows = lines.map(({ kind, before, after, text }) =>
    kind === 'hunk'
      ? h('tr', { class: kind }, h('td', { colspan: 4 }, `Line ${after ?? before ?? 0} ${makeVisible(text)}`))
      : h(
          'tr',
          { class: kind },
          ...[number(before), number(after), h('td', { class: 'sign' }, SIGNS[kind])],
          h('td', { class: 'text' }, makeVisible(text)),
        ),
  )
  return h(
    'div',
    { class: 'scrolls diff', tabindex: 0, role: 'group', 'aria-label': `Changes of ${path}` },
    h('table', {}, h('tbody', {}, ...rows)),
  )
}

/** The text of a row that a search looks at. */
export function searchedText(row: SharedRow): string {
  switch (row.kind) {
    case 'call':
      return `${row.title} ${row.note}\n${row.input}\n${row.output}\n${row.diff?.patch ?? ''}`
    case 'agents':
      return row.failures.join('\n')
    default:
      return row.text
  }
}
