/** What six weeks of work cost: conversations in four folders with agents of seven definitions, on three models. */
import { type AgentInsight, addToInsight, startInsight } from '../../../src/shared/insight/agent-insight.ts'
import type { ConversationInsight } from '../../../src/shared/insight/insight.ts'
import { sampleDefinition } from '../../../src/shared/testing/sample-events.ts'
import { SampleLog } from '../../../src/shared/testing/sample-log.ts'

const DAY = 24 * 3_600_000

/** The conversations up to `now` (ms since the epoch), the newest first; of each size the same. */
export function sixWeeks(now: number, conversations = 74): readonly ConversationInsight[] {
  return Array.from({ length: conversations }, (_, at): ConversationInsight => {
    const id = `conversation-${at}`
    const begun = now - Math.floor((at * 42) / conversations) * DAY - (at % 5) * 3_600_000
    const agents = KINDS.filter((_, kind) => kind === 0 || (at * 7 + kind * 5) % 3 !== 0)
    return {
      ...{ id, title: TITLES[at % TITLES.length] ?? '', folder: FOLDERS[at % FOLDERS.length] ?? '/' },
      rehearsal: at % 19 === 18,
      agents: agents.map((kind, index) =>
        agentOf(kind, { id: `${id}-${index}`, at, begun, isMain: index === 0 }),
      ),
    }
  })
}

const FOLDERS = ['checkout-service', 'checkout-service', 'mobile-app', 'infra', 'docs'].map(
  (name) => `/home/ada/src/${name}`,
)

const TITLES = [
  'Make retries idempotent',
  'Refunds to the cent',
  'Flaky payment tests',
  'Upgrade the gateway client',
  'Explain the settlement job',
  'Move the app to the new login',
  'Alert on queue depth',
]

interface Kind {
  readonly name: string
  readonly file: string | null
  readonly model: string
  readonly tools: readonly string[]
  readonly turns: number
  /** US dollars for a turn; null: the price is unknown. */
  readonly cost: number | null
  readonly task: string
  readonly program?: true
}

const KINDS: readonly Kind[] = [
  {
    ...{ name: 'main', file: null, model: 'claude-sonnet-4-5', turns: 6, cost: 0.021, task: '' },
    tools: ['Agent', 'Read', 'Edit'],
  },
  {
    ...{ name: 'Explore', file: null, model: 'claude-haiku-4-5', turns: 9, cost: 0.002 },
    ...{ task: 'Trace the callers', tools: ['Read', 'Grep'] },
  },
  {
    ...{
      name: 'security-reviewer',
      file: '/home/ada/src/checkout-service/.claude/agents/security-reviewer.md',
    },
    ...{
      model: 'claude-opus-4-5',
      turns: 8,
      cost: 0.049,
      task: 'Review token handling',
      tools: ['Read', 'Bash'],
    },
  },
  {
    ...{ name: 'test-writer', file: '/home/ada/.claude/agents/test-writer.md', model: 'claude-sonnet-4-5' },
    ...{ turns: 12, cost: 0.017, task: 'Failing test first', tools: ['Edit', 'Bash', 'Read'] },
  },
  {
    ...{ name: 'doc-writer', file: '/home/ada/.claude/agents/doc-writer.md', model: 'qwen3-coder:30b' },
    ...{ turns: 5, cost: 0, task: 'Retry guarantees', tools: ['Edit'] },
  },
  {
    ...{ name: 'researcher', file: '/home/ada/.claude/agents/researcher.md', model: 'claude-sonnet-4-5' },
    ...{ turns: 4, cost: 0.013, task: 'How others retry', tools: ['WebSearch', 'WebFetch'] },
  },
  {
    ...{ name: 'gemini', file: null, model: 'gemini-2.5-pro', turns: 3, cost: null, task: 'Second opinion' },
    ...{ tools: ['acp_read'], program: true },
  },
]

interface Made {
  readonly id: string
  readonly at: number
  readonly begun: number
  readonly isMain: boolean
}

function agentOf(kind: Kind, { id, at, begun, isMain }: Made): AgentInsight {
  const { name, file, model, tools, turns, cost, task, program } = kind
  const log = new SampleLog({ now: begun, step: 1000 + (at % 7) * 400 })
  const digest = at > 30 ? 'f3a9c02b77' : '81d04e5a1c'
  const source = file === null ? (program ? 'user' : 'built-in') : 'user'
  const definition = sampleDefinition({
    ...{ name, file, source, digest },
    ...(program && { program: { command: name, args: [], env: {} } }),
  })
  const spawned = log.spawn(id, {
    ...{ definition, task, model, parentId: isMain ? null : 'main' },
    ...(program && { backing: 'acp' }),
  })
  log.status(id, 'running')
  for (let turn = 1; turn <= turns + (at % 4); turn++) {
    const toolUseId = `${id}-${turn}`
    const tool = tools[turn % tools.length] ?? 'Read'
    log.add(id, 'request-started', { turn, model })
    if ((at + turn) % 23 === 0) {
      const failure = { type: turn % 2 === 0 ? 'rate-limited' : 'overloaded', message: '' }
      log.add(id, 'request-failed', { failure, retryAt: log.now + 2000 })
      log.add(id, 'request-started', { turn, attempt: 2, model })
    }
    log.add(id, 'assistant-message', {
      ...{ model, costUsd: cost === null ? null : cost * (1 + (at % 3) / 4) },
      content: [{ type: 'tool_use', id: toolUseId, name: tool, input: {} }],
      usage: { input: 400, output: 310, cacheRead: 5200 + turn * 700, cacheWrite: 650 },
    })
    if (tool === 'Bash' && turn % 3 === 0) {
      log.asks(id, toolUseId, { toolUseId })
      log.status(id, 'waiting', 'permission')
      log.pass(25_000 + at * 300)
      const decision = (at + turn) % 7 === 0 ? 'deny' : 'allow-once'
      log.answered(id, toolUseId, { toolUseId, decision })
      log.status(id, 'running')
    }
    log.add(id, 'tool-ended', { toolUseId, name: tool, isError: (at + turn) % 13 === 0 })
  }
  log.ends(id, 'Done.', at % 29 === 7 ? 'failed' : 'completed')
  const insight = startInsight(spawned)
  for (const event of log.events.slice(1)) addToInsight(insight, event)
  return insight
}
