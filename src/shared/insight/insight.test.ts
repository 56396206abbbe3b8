import { describe, expect, test } from 'vitest'
import { cachedShare } from '../events/model-requests.ts'
import { sampleDefinition } from '../testing/sample-events.ts'
import { SampleLog } from '../testing/sample-log.ts'
import { type AgentInsight, addToInsight, startInsight } from './agent-insight.ts'
import { type ConversationInsight, type InsightQuery, insightOf, workShares } from './insight.ts'
import { insightCsv } from './insight-csv.ts'

const START = new Date(2026, 9, 31, 12).getTime()
const DAY = 24 * 3_600_000

interface Made {
  readonly id: string
  readonly name: string
  readonly cost: number | null
  readonly task?: string
  readonly file?: string
  readonly digest?: string
  readonly days?: number
  readonly model?: string
}

function conversation(
  id: string,
  agents: readonly Made[],
  more: Partial<ConversationInsight> = {},
): ConversationInsight {
  const insights = agents.map((made): AgentInsight => {
    const { name, task = '', file = null, digest = '', days = 0, cost, model = 'sonnet' } = made
    const log = new SampleLog({ now: START + days * DAY, step: 0 })
    const definition = sampleDefinition({
      name,
      file,
      digest,
      source: file?.startsWith('/shop') ? 'project' : 'built-in',
    })
    const insight = startInsight(log.spawn(made.id, { definition, task, model }))
    log.add(made.id, 'request-started', { model })
    log.add(made.id, 'assistant-message', {
      ...{ content: [{ type: 'text', text: 'Done.' }], costUsd: cost },
      usage: { input: 10, output: 5, cacheRead: 80, cacheWrite: 10 },
    })
    for (const event of log.events.slice(1)) addToInsight(insight, event)
    return insight
  })
  return { id, title: `Title ${id}`, folder: '/work/shop', rehearsal: false, agents: insights, ...more }
}

const query = (more: Partial<InsightQuery> = {}): InsightQuery => ({
  ...{ by: 'definition', since: null, until: null, folder: null, rehearsal: false, within: [] },
  ...more,
})

const two = [
  conversation('c-1', [
    { id: 'a-1', name: 'main', cost: 1, file: '/opt/troupe/agents/main.md' },
    { id: 'a-2', name: 'fixer', cost: 3, task: 'Fix it', file: '/shop/fixer.md', digest: 'abcdef123456' },
  ]),
  conversation(
    'c-2',
    [
      { id: 'a-3', name: 'main', cost: 0.5, days: 1, model: 'opus' },
      {
        id: 'a-4',
        name: 'fixer',
        cost: 2,
        task: 'Mend it',
        file: '/shop/fixer.md',
        digest: 'fedcba',
        days: 1,
      },
    ],
    { folder: '/work/shop/api' },
  ),
]

const told = (more: Partial<InsightQuery>) =>
  insightOf(two, query(more)).rows.map(({ name, figures }) => [name, figures.costUsd])

describe('a report', () => {
  test('groups the same work in six ways, the most expensive first', () => {
    expect(told({ by: 'definition' })).toEqual([
      ['fixer', 5],
      ['main', 1.5],
    ])
    expect(told({ by: 'model' })).toEqual([
      ['sonnet', 6],
      ['opus', 0.5],
    ])
    expect(told({ by: 'month' })).toEqual([
      ['2026-10', 4],
      ['2026-11', 2.5],
    ])
    expect(told({ by: 'folder' })).toEqual([
      ['/work/shop', 4],
      ['/work/shop/api', 2.5],
    ])
    expect(told({ by: 'conversation' })).toEqual([
      ['Title c-1', 4],
      ['Title c-2', 2.5],
    ])
    expect(told({ by: 'agent' })).toEqual([
      ['Fix it', 3],
      ['Mend it', 2],
      ['Title c-1', 1],
      ['Title c-2', 0.5],
    ])
    for (const by of ['definition', 'model', 'month', 'folder', 'conversation', 'agent'] as const)
      expect(insightOf(two, query({ by })).total).toMatchObject({
        ...{ figures: { costUsd: 6.5, input: 40 }, agents: 4, conversations: 2 },
      })
  })

  test('has the work of some days, of a folder and of one row', () => {
    expect(told({ since: '2026-11-01' })).toEqual([
      ['fixer', 2],
      ['main', 0.5],
    ])
    expect(told({ until: '2026-10-31' })).toEqual([
      ['fixer', 3],
      ['main', 1],
    ])
    expect(told({ folder: '/work/shop/api/' })).toEqual([
      ['fixer', 2],
      ['main', 0.5],
    ])
    expect(told({ folder: '/work/sho' })).toEqual([])
    const within = [{ by: 'definition', key: 'fixer\n/shop/fixer.md' }] as const
    const report = insightOf(two, query({ by: 'agent', within }))
    expect(report.rows.map(({ name, conversationId, agentId }) => [name, conversationId, agentId])).toEqual([
      ['Fix it', 'c-1', 'a-2'],
      ['Mend it', 'c-2', 'a-4'],
    ])
    expect(report.total.figures.costUsd).toBe(5)
    expect(report.versions.map(({ version, lastDay, agents }) => [version, lastDay, agents])).toEqual([
      ['fedcba', '2026-11-01', 1],
      ['abcdef1', '2026-10-31', 1],
    ])
    const inFolder = [...within, { by: 'folder', key: '/work/shop' }] as const
    expect(insightOf(two, query({ by: 'agent', within: inFolder })).rows.map(({ name }) => name)).toEqual([
      'Fix it',
    ])
    expect(report.days.map(({ day, figures }) => [day, figures.costUsd])).toEqual([
      ['2026-10-31', 3],
      ['2026-11-01', 2],
    ])
  })

  test('says which cost is unknown, and never takes it for 0', () => {
    const report = insightOf([conversation('c', [{ id: 'a', name: 'main', cost: null }])], query())
    expect(report.total.figures).toMatchObject({ costUsd: 0, unpriced: 1 })
    expect(insightCsv(report, 'definition')).toMatch(/^main,built-in,1,1,10,5,80,10,\d+,,1,/m)
  })

  test('leaves rehearsals out, or counts them at no cost', () => {
    const made = [conversation('c', [{ id: 'a', name: 'main', cost: 1 }], { rehearsal: true })]
    expect(insightOf(made, query())).toMatchObject({ rows: [], rehearsed: 1 })
    const elsewhere = [{ by: 'folder', key: '/elsewhere' }] as const
    expect(insightOf(made, query({ within: elsewhere }))).toMatchObject({ rows: [], rehearsed: 0 })
    expect(insightOf(made, query({ rehearsal: true }))).toMatchObject({
      ...{ rows: [{ figures: { costUsd: 0, unpriced: 0, input: 10 } }], rehearsed: 0 },
      total: { work: { text: { costUsd: 0 } } },
    })
  })

  test('knows for what kind of work a row was spent most', () => {
    expect(workShares(insightOf(two, query()).total.work)).toEqual([{ kind: 'text', share: 1 }])
    expect(workShares(insightOf([], query()).total.work)).toEqual([])
    const nothing = { costUsd: 0, countedTokens: 0, calls: 0 }
    const work = {
      ...insightOf([], query()).total.work,
      edit: { ...nothing, costUsd: 1 },
      read: { ...nothing, costUsd: 3 },
    }
    expect(workShares(work)).toEqual([
      { kind: 'read', share: 0.75 },
      { kind: 'edit', share: 0.25 },
    ])
    const free = { ...work, edit: nothing, read: { ...nothing, countedTokens: 5 } }
    expect(workShares(free)).toEqual([{ kind: 'read', share: 1 }])
  })

  test('knows the share of the input that came from the cache', () => {
    const { total } = insightOf(two, query())
    expect(cachedShare(total.figures)).toBe(0.8)
    expect(cachedShare(insightOf([], query()).total.figures)).toBe(null)
  })
})

test('a spreadsheet takes no title for a formula, and quotes keep commas and lines together', () => {
  const titles = ['=1+1', '+1', '-1', '@SUM(A1)', '\tx', 'a "b", c', 'two\nlines']
  const made = titles.map((title, at) =>
    conversation(`c-${at}`, [{ id: `a-${at}`, name: 'main', cost: titles.length - at }], { title }),
  )
  const csv = insightCsv(insightOf(made, query({ by: 'conversation' })), 'conversation')
  const firsts = csv.split('\r\n').map((line) => /^("(?:[^"]|"")*"|[^,]*)/.exec(line)?.[0])
  expect(firsts).toEqual([
    ...['conversation', "'=1+1", "'+1", "'-1", "'@SUM(A1)", "'\tx", '"a ""b"", c"', '"two\nlines"', ''],
  ])
})

test('a table has one column of tokens as the window counts them, and one for each kind of token in full', () => {
  const csv = insightCsv(
    insightOf([conversation('c', [{ id: 'a', name: 'main', cost: 1 }])], query()),
    'definition',
  )
  const [titles = [], values = []] = csv.split('\r\n').map((line) => line.split(','))
  const tokens = titles.flatMap((title, at) => (title.includes('tokens') ? [[title, values[at]]] : []))
  expect(Object.fromEntries(tokens)).toEqual({
    ...{ input_tokens: '10', output_tokens: '5', cache_read_tokens: '80', cache_write_tokens: '10' },
    // 10 + 5 + 0.1 · 80 + 1.25 · 10
    tokens: '36',
  })
})
