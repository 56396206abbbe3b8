/**
 * The script of a shared conversation's page: the agents at the side; the transcript of one, the timeline or all changes
 * beside them; a search through everything. It loads nothing: all that it shows is in the page.
 */
import { formatTokens } from '../../../../shared/kernel/amounts.ts'
import { messageOf } from '../../../../shared/kernel/result.ts'
import { makeVisible } from '../../../../shared/kernel/visible-text.ts'
import type { PageAgent, SharedDiff, SharedRow } from '../../../../shared/sharing/page-data.ts'
import { count, formatMoney } from '../../../ui/text/format.ts'
import { h } from './dom.ts'
import { type PageModel, readModel } from './page-model.ts'
import { diffElement, openFolds, rowElement, searchedText } from './page-rows.ts'
import { timelineElement } from './page-timeline.ts'
import './page.css'

/** Rows that are drawn at once. */
const PAGE_OF_ROWS = 150
const TABS = ['Transcript', 'Timeline', 'Changes'] as const
type Tab = (typeof TABS)[number]
const THEMES = ['System', 'Light', 'Dark'] as const

interface Match {
  readonly agentId: string
  /** Of the row among those of its agent. */
  readonly index: number
}

void start()

async function start(): Promise<void> {
  const place = document.getElementById('page')
  try {
    const model = await readModel()
    document.title = model.title
    place?.replaceWith(...showPage(model))
  } catch (thrown) {
    place?.replaceChildren(
      h(
        'p',
        { class: 'loading bad', role: 'alert' },
        `The conversation can’t be read: the file is not whole. ${messageOf(thrown)}`,
      ),
    )
  }
}

function showPage(model: PageModel): readonly HTMLElement[] {
  let agentId = model.agents[0]?.id ?? ''
  let tab: Tab = 'Transcript'
  /** The drawn rows of the agent: from one to another. */
  let range = { from: 0, to: PAGE_OF_ROWS }
  let matches: readonly Match[] = []
  let matchAt = -1

  const nameOf = (id: string) => makeVisible(model.byId.get(id)?.name ?? id)
  const context = { nameOf, showAgent: (id: string) => show(id, 'Transcript') }
  const search = h('input', {
    ...{
      type: 'search',
      placeholder: 'Search everything',
      'aria-label': 'Search everything',
      spellcheck: 'false',
    },
    on: { input: () => find(search.value), keydown: onSearchKey },
  })
  const found = h('span', { class: 'found', role: 'status' })
  const step = (by: number) => () => goToMatch(matchAt + by)
  const previous = h(
    'button',
    { type: 'button', 'aria-label': 'Previous match', on: { click: step(-1) } },
    '↑',
  )
  const next = h('button', { type: 'button', 'aria-label': 'Next match', on: { click: step(1) } }, '↓')
  const tabs = TABS.map((name) =>
    h('button', { type: 'button', 'aria-pressed': 'false', on: { click: () => show(agentId, name) } }, name),
  )
  const themes = THEMES.map((name) =>
    h('button', { type: 'button', 'aria-pressed': 'false', on: { click: () => setTheme(name) } }, name),
  )
  const agents = model.agents.map((agent) => agentButton(agent))
  const content = h('main', { tabindex: -1, 'aria-label': 'Conversation' })
  const views = new Map<Tab, HTMLElement>()
  const header = h(
    'header',
    {},
    h(
      'div',
      { class: 'titles' },
      h('h1', {}, makeVisible(model.title)),
      h('p', { class: 'aside' }, factsOf(model)),
    ),
    h('div', { class: 'search', role: 'search' }, search, previous, next, found),
    h('div', { class: 'segmented', role: 'group', 'aria-label': 'View' }, ...tabs),
    h('div', { class: 'segmented', role: 'group', 'aria-label': 'Theme' }, ...themes),
  )
  const side = h(
    'nav',
    { 'aria-label': 'Agents', on: { keydown: onTreeKey } },
    h('h2', {}, count(model.agents.length, 'agent')),
    h('ul', {}, ...agents.map((button) => h('li', {}, button))),
    h('p', { class: 'aside keys' }, '/ search · J K agents · 1 2 3 views'),
  )
  document.addEventListener('keydown', onKey)
  setTheme('System')
  show(agentId, tab)
  find('')
  return [header, side, content]

  function agentButton(agent: PageAgent): HTMLButtonElement {
    const { id, name, depth, type, status, turns, color } = agent
    const mark = h('i', { class: 'mark', 'aria-hidden': 'true' })
    mark.style.background = COLORS.has(color) ? `var(--agent-${color})` : 'var(--fg-3)'
    const button = h(
      'button',
      { type: 'button', on: { click: () => show(id, 'Transcript') } },
      mark,
      h('span', {}, makeVisible(name)),
      h('small', {}, makeVisible([type, status, count(turns, 'turn')].join(' · '))),
    )
    button.style.paddingInlineStart = `${10 + depth * 14}px`
    return button
  }

  /** Shows a view. `at`: the row of the agent to begin with. */
  function show(id: string, nextTab: Tab, at = 0): void {
    agentId = id
    tab = nextTab
    const from = Math.max(0, at - 20)
    range = { from, to: from + PAGE_OF_ROWS }
    draw()
    content.scrollTop = 0
  }

  function draw(): void {
    for (const [index, button] of agents.entries()) {
      const isShown = model.agents[index]?.id === agentId && tab === 'Transcript'
      if (isShown) button.setAttribute('aria-current', 'true')
      else button.removeAttribute('aria-current')
    }
    for (const [index, button] of tabs.entries())
      button.setAttribute('aria-pressed', String(TABS[index] === tab))
    if (tab === 'Transcript') content.replaceChildren(...transcript())
    else content.replaceChildren(viewOf(tab))
  }

  /** The timeline and the changes are made once. */
  function viewOf(name: Exclude<Tab, 'Transcript'>): HTMLElement {
    const view =
      views.get(name) ??
      (name === 'Changes' ? changesElement(model, context) : timelineElement(model, { open: openAt }))
    views.set(name, view)
    return view
  }

  function transcript(): readonly Node[] {
    const rows = model.rowsOf(agentId)
    const more = (text: string, wanted: typeof range) => {
      const click = () => {
        range = wanted
        draw()
      }
      return h('button', { type: 'button', class: 'more', on: { click } }, text)
    }
    const { from, to } = range
    return [
      h('h2', {}, nameOf(agentId)),
      h('p', { class: 'aside' }, spentBy(model.byId.get(agentId))),
      ...(from === 0
        ? []
        : [more(`Show ${count(from, 'earlier row')}`, { from: Math.max(0, from - PAGE_OF_ROWS), to })]),
      ...rows.slice(from, to).map((row) => rowElement(row, context)),
      ...(to >= rows.length
        ? []
        : [more(`Show more of ${count(rows.length - to, 'later row')}`, { from, to: to + PAGE_OF_ROWS })]),
      ...(rows.length === 0 ? [h('p', { class: 'empty' }, 'This agent has not begun.')] : []),
    ]
  }

  /** Shows the row of an event, or the one before it. */
  function openAt(id: string, seq: number): void {
    const rows = model.rowsOf(id)
    const later = rows.findIndex((row) => row.seq > seq)
    showRow({ agentId: id, index: Math.max(0, (later < 0 ? rows.length : later) - 1) })
  }

  function showRow({ agentId: id, index }: Match): void {
    show(id, 'Transcript', index)
    const row = content.querySelectorAll('.row')[index - range.from]
    if (row === undefined) return
    openFolds(row)
    row.classList.add('is-found')
    row.scrollIntoView({ block: 'center' })
    markWords(row, search.value)
  }

  function find(text: string): void {
    matches = text.trim() === '' ? [] : matchesIn(model, text)
    matchAt = -1
    const isEmpty = matches.length === 0
    previous.disabled = isEmpty
    next.disabled = isEmpty
    found.textContent =
      text.trim() === ''
        ? ''
        : isEmpty
          ? 'Nothing found'
          : `${count(matches.length, 'row')}, Enter shows the first`
  }

  function goToMatch(index: number): void {
    if (matches.length === 0) return
    matchAt = (index + matches.length) % matches.length
    const match = matches[matchAt]
    if (match === undefined) return
    showRow(match)
    found.textContent = `${matchAt + 1} of ${matches.length}`
  }

  function onSearchKey(event: KeyboardEvent): void {
    if (event.key === 'Enter') goToMatch(matchAt + (event.shiftKey ? -1 : 1))
    else if (event.key === 'Escape') {
      search.value = ''
      find('')
      content.focus()
    } else return
    event.preventDefault()
  }

  function onTreeKey(event: KeyboardEvent): void {
    const at = agents.indexOf(document.activeElement as HTMLButtonElement)
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: agents.length - 1 }[event.key]
    if (to === undefined) return
    agents[Math.min(agents.length - 1, Math.max(0, to))]?.focus()
    event.preventDefault()
  }

  function onKey(event: KeyboardEvent): void {
    const isTyping = event.target === search || event.ctrlKey || event.metaKey || event.altKey
    if (event.defaultPrevented || isTyping) return
    const at = model.agents.findIndex(({ id }) => id === agentId)
    const other = { j: at + 1, k: at - 1 }[event.key.toLowerCase()]
    const nextAgent = other === undefined ? undefined : model.agents[other]
    const nextTab = TABS[Number(event.key) - 1]
    if (event.key === '/') search.focus()
    else if (nextAgent !== undefined) show(nextAgent.id, 'Transcript')
    else if (nextTab !== undefined) show(agentId, nextTab)
    else return
    event.preventDefault()
  }

  function setTheme(name: (typeof THEMES)[number]): void {
    document.documentElement.style.colorScheme = name === 'System' ? 'light dark' : name.toLowerCase()
    for (const [index, button] of themes.entries())
      button.setAttribute('aria-pressed', String(THEMES[index] === name))
  }
}

/** The colors that definitions may name; the style of the window has them. */
const COLORS = new Set([
  'red',
  'orange',
  'yellow',
  'lime',
  'green',
  'teal',
  'cyan',
  'blue',
  'indigo',
  'purple',
  'pink',
])

function spentBy(agent: PageAgent | undefined): string {
  if (agent === undefined) return ''
  const { model, tokens, costUsd } = agent
  const cost = costUsd === null ? [] : [formatMoney(costUsd)]
  return makeVisible([model, `${formatTokens(tokens)} tokens`, ...cost].join(' · '))
}

function factsOf({ folder, createdAt, agents }: PageModel): string {
  const tokens = agents.reduce((sum, agent) => sum + agent.tokens, 0)
  const usd = agents.reduce((sum, agent) => sum + (agent.costUsd ?? 0), 0)
  const cost = agents.every(({ costUsd }) => costUsd !== null) ? [formatMoney(usd)] : []
  const day = new Date(createdAt).toISOString().slice(0, 16).replace('T', ' ')
  return makeVisible([folder, `${day} UTC`, `${formatTokens(tokens)} tokens`, ...cost].join(' · '))
}

function matchesIn({ agents, rowsOf }: PageModel, text: string): readonly Match[] {
  const wanted = text.trim().toLowerCase()
  return agents.flatMap(({ id }) =>
    rowsOf(id).flatMap((row, index) =>
      searchedText(row).toLowerCase().includes(wanted) ? [{ agentId: id, index }] : [],
    ),
  )
}

/** Highlights the words in a row, where the browser can. */
function markWords(row: Element, text: string): void {
  const wanted = text.trim().toLowerCase()
  if (wanted === '' || !('highlights' in CSS)) return
  const ranges: Range[] = []
  const walker = document.createTreeWalker(row, NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const content = (node.textContent ?? '').toLowerCase()
    for (let at = content.indexOf(wanted); at >= 0; at = content.indexOf(wanted, at + wanted.length)) {
      const range = new Range()
      range.setStart(node, at)
      range.setEnd(node, at + wanted.length)
      ranges.push(range)
    }
  }
  CSS.highlights.set('found', new Highlight(...ranges))
  ranges[0]?.startContainer.parentElement?.scrollIntoView({ block: 'center' })
}

/** All changes that calls show, by file. */
function changesElement(
  { agents, rowsOf }: PageModel,
  { nameOf }: { readonly nameOf: (agentId: string) => string },
): HTMLElement {
  const files = new Map<string, { readonly agentId: string; readonly diff: SharedDiff }[]>()
  for (const { id } of agents)
    for (const diff of rowsOf(id).flatMap(diffIn))
      files.set(diff.path, [...(files.get(diff.path) ?? []), { agentId: id, diff }])
  if (files.size === 0) return h('p', { class: 'empty' }, 'No calls changed files.')
  return h(
    'section',
    { 'aria-label': 'Changes' },
    ...[...files].map(([path, changes]) => {
      const sum = (side: 'added' | 'removed') => changes.reduce((all, { diff }) => all + diff[side], 0)
      const details = h(
        'details',
        { class: 'file' },
        h(
          'summary',
          {},
          h('span', { class: 'title' }, makeVisible(path)),
          h('span', { class: 'aside' }, ` +${sum('added')} −${sum('removed')}`),
        ),
      )
      const fill = () => fillIn(0)
      const fillIn = (from: number) => {
        const to = from + PAGE_OF_ROWS
        const more = h(
          'button',
          { type: 'button', class: 'more' },
          `Show more of ${count(changes.length - to, 'change')}`,
        )
        more.addEventListener('click', () => {
          more.remove()
          fillIn(to)
        })
        for (const { agentId, diff } of changes.slice(from, to))
          details.append(h('p', { class: 'aside' }, nameOf(agentId)), diffElement(diff))
        if (to < changes.length) details.append(more)
      }
      details.addEventListener('toggle', fill, { once: true })
      return details
    }),
  )
}

const diffIn = (row: SharedRow): readonly SharedDiff[] =>
  row.kind === 'call' && row.diff !== null ? [row.diff] : []
