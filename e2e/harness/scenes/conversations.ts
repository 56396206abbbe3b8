/** The mockup's table of conversations, any number of them, and what other agent programs keep. */
import type { ConversationRecord } from '../../../src/shared/events/conversation.ts'
import { type HistorySource, historyNames, historyPrograms } from '../../../src/shared/histories/history.ts'
import { SampleLog } from '../../../src/shared/testing/sample-log.ts'

const HOUR = 3_600_000

interface Kept {
  readonly log: SampleLog
  readonly more: Partial<ConversationRecord>
}

/** Conversations in four folders up to `now` (ms since the epoch), the newest first. */
export function manyConversations(now: number, amount: number): readonly Kept[] {
  return Array.from({ length: amount }, (_, at): Kept => {
    const [title, lastLine, folder, branch] = TEXTS[at % TEXTS.length] ?? TEXTS[0]
    const updatedAt = now - (at + 1) * HOUR * (1 + at / 12)
    const log = new SampleLog({ conversationId: `kept-${at}`, now: updatedAt - 20 * 60_000, step: 0 })
    const id = `kept-main-${at}`
    log.starts({ id, name: 'main', color: 'neutral', task: '', maxTurns: 100 })
    log.receives(id, `${title}.`, 'user')
    log.pass(60_000).answers(id, { text: `I looked at the charge key first. ${lastLine}` })
    log.status(id, 'waiting', 'message')
    const totals = {
      ...{
        agents: 1 + (at % 8),
        colors: COLORS.slice(at % 3, (at % 3) + Math.min(5, at % 8)),
        lastLine,
        branch,
      },
      ...{ tokens: 24_000 + ((at * 37_000) % 600_000), usd: 0.05 + ((at * 31) % 290) / 100, priced: true },
      ...{ added: at % 3 === 0 ? 0 : (at * 53) % 530, removed: at % 4 === 0 ? 0 : (at * 29) % 300 },
    }
    const outcome = { kind: KINDS[at % KINDS.length] ?? 'done', at: updatedAt } as const
    const createdAt = updatedAt - 2 * HOUR
    return {
      log,
      more: {
        ...{ title, folder: `/home/ada/src/${folder}`, totals, outcome, createdAt, updatedAt },
        ...{ archived: at > 12 && at % 5 === 0, pinned: false },
      },
    }
  })
}

const COLORS = ['blue', 'green', 'pink', 'teal', 'purple', 'lime', 'indigo']
const KINDS = ['done', 'failed', 'done', 'stopped', 'done', 'done', 'done'] as const

const TEXTS = [
  [
    'Why does CI flake on Fridays?',
    'The clock of the runner jumps when the backup starts; see the report.',
    'checkout-service',
    'main',
  ],
  [
    'Nightly load test times out',
    'The model is not available to this key (404).',
    'checkout-service',
    'bench',
  ],
  [
    'Draft the release notes for 4.2',
    'Written to docs/releases/4.2.md, 31 entries.',
    'storefront',
    'release-4.2',
  ],
  ['Rename Customer to Account', 'The plan names 41 files.', 'ledger', 'main'],
  [
    'What does the ledger do on leap days?',
    'It books them on 28 February; two tests say so.',
    'ledger',
    'main',
  ],
  ['Split the webhook handler', 'Three handlers, one queue, all tests green.', 'checkout-service', 'main'],
  [
    'Refunds are sent twice after a restart',
    'The key is read back before the first request.',
    'checkout-service',
    'main',
  ],
  [
    'Upgrade to React 19',
    'Two worktrees wait in Review.',
    'storefront',
    'feature/react-19-and-the-new-router',
  ],
  ['Survey of gateway-mocks', 'Four services, one contract each.', 'gateway-mocks', undefined],
] as const

/** What the other agent programs keep. `ask`: the user was not asked yet. */
export function sceneHistories(now: number, ask: boolean): readonly HistorySource[] {
  return historyPrograms.map((program, at) => ({
    ...{ program, place: `/home/ada/.${program}`, isFound: program !== 'opencode', problems: [] },
    reading: ask ? ('ask' as const) : ('on' as const),
    entries:
      ask || program === 'opencode'
        ? []
        : TEXTS.slice(at, at + 5).map(([title, , folder], index) => ({
            id: `from-${program}-${String(index).padStart(20, '0')}`,
            ...{ program, title: index === 4 ? `${title} (${historyNames[program]})` : title },
            ...{ folder: `/home/ada/src/${folder}`, createdAt: now - (index + 2) * HOUR * 9 },
            ...{ updatedAt: now - (index + 1) * HOUR * 7, agents: 1 + index, bytes: 210_000 * (index + 1) },
          })),
  }))
}
