/**
 * The timeline of the page: a lane for each agent with its spans, and arrows between lanes. The arrow keys go from span to
 * span and lane to lane, Enter shows the span's place in the transcript, + and - zoom.
 */
import { makeVisible } from '../../../../shared/kernel/visible-text.ts'
import type { PageSpan } from '../../../../shared/sharing/page-data.ts'
import { formatDuration } from '../../../ui/text/format.ts'
import { h, svg } from './dom.ts'
import type { PageModel } from './page-model.ts'

const LANE = 26
const BAR = 12
const LABEL = 220
const DEEPEST_ZOOM = 400

const WORDS: Readonly<Record<PageSpan['kind'], string>> = {
  model: 'Model',
  tool: 'Tools',
  user: 'Waits for you',
  agents: 'Waits for agents',
  queued: 'Queued',
  retry: 'Retries',
  paused: 'Paused',
}

interface TimelineOptions {
  /** Shows a place of a transcript. */
  readonly open: (agentId: string, seq: number) => void
}

export function timelineElement(model: PageModel, { open }: TimelineOptions): HTMLElement {
  const lanes = model.agents.map(({ id, name, depth }) => ({
    ...{ id, name, depth },
    spans: [...model.spansOf(id)].sort((one, other) => one.from - other.from),
  }))
  const all = lanes.flatMap(({ spans }) => spans)
  const from = all.reduce((least, span) => Math.min(least, span.from), Number.POSITIVE_INFINITY)
  const to = all.reduce((most, span) => Math.max(most, span.to), 0)
  if (all.length === 0) return h('p', { class: 'empty' }, 'No times were recorded.')
  let zoom = 1
  let chosen: PageSpan | null = null

  const drawing = h('div', {
    class: 'drawing',
    tabindex: 0,
    role: 'group',
    'aria-label': 'Timeline: arrow keys choose a span, Enter shows its place',
    on: { keydown: onKey },
  })
  const chosenLine = h('p', { class: 'chosen', role: 'status' })
  const button = (text: string, label: string | null, act: () => void) =>
    h('button', { type: 'button', 'aria-label': label, on: { click: act } }, text)
  const legend = (Object.keys(WORDS) as PageSpan['kind'][])
    .filter((kind) => all.some((span) => span.kind === kind))
    .map((kind) => h('span', {}, h('i', { class: `key ${kind}`, 'aria-hidden': 'true' }), WORDS[kind]))
  const bar = h(
    'div',
    { class: 'bar' },
    ...legend,
    button('−', 'Zoom out', () => setZoom(zoom / 2)),
    button('+', 'Zoom in', () => setZoom(zoom * 2)),
    button('Fit', null, () => setZoom(1)),
  )
  const element = h('section', { 'aria-label': 'Timeline' }, bar, drawing, chosenLine)
  new ResizeObserver(draw).observe(element)
  say()
  return element

  function setZoom(next: number): void {
    zoom = Math.min(DEEPEST_ZOOM, Math.max(1, next))
    draw()
    const at = chosen === null ? null : drawing.querySelector('.is-chosen')
    at?.scrollIntoView({ block: 'nearest', inline: 'center' })
  }

  function draw(): void {
    const width = Math.max(300, element.clientWidth - LABEL - 28) * zoom
    const xOf = (at: number) => LABEL + ((at - from) / Math.max(1, to - from)) * width
    const height = lanes.length * LANE + 24
    const picture = svg(
      'svg',
      { width: LABEL + width + 24, height, 'aria-hidden': 'true' },
      ...lanes.flatMap((lane, index) => laneParts(lane, { y: index * LANE + 20, xOf })),
      ...model.arrows.flatMap((arrow) => arrowPart(arrow, xOf)),
      ...ticks(xOf, height),
    )
    drawing.replaceChildren(picture)
  }

  function laneParts(
    { name, depth, spans }: (typeof lanes)[number],
    { y, xOf }: { readonly y: number; readonly xOf: (at: number) => number },
  ): readonly SVGElement[] {
    const label = svg('text', { x: 8 + depth * 12, y: y + 14, class: 'label' }, clipped(name, 30 - depth * 2))
    const shown: SVGElement[] = []
    /** Of each kind, the end of what is drawn: many short spans are one bar. */
    const drawn = new Map<string, number>()
    for (const span of spans) {
      const x = xOf(span.from)
      const end = Math.max(x + 1.5, xOf(span.to))
      const isChosen = span === chosen
      if (!isChosen && end - (drawn.get(span.kind) ?? 0) < 1) continue
      drawn.set(span.kind, end)
      const bar = svg(
        'rect',
        {
          ...{ x, y: y + 4, width: end - x, height: span.kind === 'agents' ? 2 : BAR, rx: 2 },
          class: `span ${span.kind}${span.failed ? ' failed' : ''}${isChosen ? ' is-chosen' : ''}`,
          on: { click: () => open(span.agentId, span.seq) },
        },
        svg('title', {}, aboutSpan(span)),
      )
      shown.push(bar)
    }
    return [
      svg('line', { x1: 0, x2: xOf(to) + 24, y1: y + LANE - 3, y2: y + LANE - 3, class: 'rule' }),
      label,
      ...shown,
    ]
  }

  function arrowPart(
    { from: one, to: other, at, toAt }: PageModel['arrows'][number],
    xOf: (at: number) => number,
  ): readonly SVGElement[] {
    const [a, b] = [one, other].map((id) => lanes.findIndex((lane) => lane.id === id))
    if (a === undefined || b === undefined || a < 0 || b < 0) return []
    const y = (index: number) => index * LANE + 30
    const [x1, x2] = [xOf(at), xOf(toAt)]
    const end = y(b) + (b > a ? -7 : 7)
    return [
      svg('path', {
        class: 'arrow',
        d: `M${x1} ${y(a)} C${x1} ${(y(a) + end) / 2} ${x2} ${(y(a) + end) / 2} ${x2} ${end}`,
      }),
      svg('circle', { class: 'tip', cx: x2, cy: end, r: 2 }),
    ]
  }

  function ticks(xOf: (at: number) => number, height: number): readonly SVGElement[] {
    const step = (to - from) / Math.max(4, Math.round(4 * zoom))
    return Array.from({ length: Math.min(400, Math.round(4 * zoom)) + 1 }, (_, index) => {
      const at = from + index * step
      return svg(
        'g',
        {},
        svg('line', { class: 'tick', x1: xOf(at), x2: xOf(at), y1: 14, y2: height }),
        svg('text', { class: 'time', x: xOf(at) + 3, y: 11 }, timeText(at - from)),
      )
    })
  }

  function aboutSpan(span: PageSpan): string {
    const took = ((span.to - span.from) / 1000).toFixed(1)
    const name = makeVisible(span.title)
    return `${model.byId.get(span.agentId)?.name ?? ''}: ${WORDS[span.kind]}${name === '' ? '' : ` ${name}`}, ${took} s at ${timeText(span.from - from)}${span.failed ? ', failed' : ''}`
  }

  function say(): void {
    chosenLine.textContent =
      chosen === null
        ? `${timeText(to - from)} in all. Arrow keys choose a span, Enter shows its place, + and − zoom.`
        : aboutSpan(chosen)
  }

  function onKey(event: KeyboardEvent): void {
    const lane = Math.max(
      0,
      lanes.findIndex(({ id }) => id === chosen?.agentId),
    )
    const next = nextSpan(event.key, lane)
    if (event.key === 'Enter' && chosen !== null) open(chosen.agentId, chosen.seq)
    else if (event.key === '+' || event.key === '=') setZoom(zoom * 2)
    else if (event.key === '-') setZoom(zoom / 2)
    else if (next !== undefined) {
      chosen = next ?? chosen
      draw()
      say()
      drawing.querySelector('.is-chosen')?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
    } else return
    event.preventDefault()
  }

  /** Undefined: the key is none of these. Null: there is no such span. */
  function nextSpan(key: string, lane: number): PageSpan | null | undefined {
    const spans = lanes[lane]?.spans ?? []
    const at = chosen === null ? -1 : spans.indexOf(chosen)
    const near = (index: number) => {
      const others = lanes[index]?.spans ?? []
      return others.findLast((span) => span.from <= (chosen?.from ?? from)) ?? others[0] ?? null
    }
    switch (key) {
      case 'ArrowRight':
        return spans[at + 1] ?? null
      case 'ArrowLeft':
        return spans[Math.max(0, at - 1)] ?? null
      case 'ArrowDown':
        return near(Math.min(lanes.length - 1, lane + 1))
      case 'ArrowUp':
        return near(Math.max(0, lane - 1))
      case 'Home':
        return spans[0] ?? null
      case 'End':
        return spans.at(-1) ?? null
      default:
        return undefined
    }
  }
}

/** With tenths where the minutes say too little. */
const timeText = (ms: number): string => (ms < 60_000 ? `${(ms / 1000).toFixed(1)} s` : formatDuration(ms))

const clipped = (text: string, most: number): string =>
  makeVisible(text.length > most ? `${text.slice(0, most - 1)}…` : text)
