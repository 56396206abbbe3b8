/** A case from what an agent did: its task, the commit that it began at, and an expectation from its report and changes. */
import { relative, sep } from 'node:path'
import type { CaseCheck } from '../../../shared/agent-tests/agent-tests.ts'
import { caseText } from '../../../shared/agent-tests/case-file.ts'
import type { AgentEvent, EventOf } from '../../../shared/events/agent-event.ts'
import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import { textOf } from '../../../shared/messages/text-of.ts'
import type { Git } from '../../platform/git/git-client.ts'
import type { TranscriptStore } from '../../runtime/ports/transcripts.ts'
import { FinalReports } from '../run/run-outcome.ts'

interface CaseParts {
  readonly store: Pick<TranscriptStore, 'read' | 'readConversation'>
  readonly git: Git
  readonly isTrusted: (folder: string) => boolean
}

/** What is read of the agent's transcript. */
interface Told {
  spawned: EventOf<'agent-spawned'> | null
  task: string | null
  readonly reports: FinalReports
  /** Absolute, by their places in the folder or in its worktree. */
  readonly changed: Set<string>
  /** Rules for the requests that the user allowed. */
  readonly allowed: Set<string>
  readonly asked: Map<string, string>
}

/** Fails with `not-found` or `no-task`. */
export async function caseFromAgent(
  { store, git, isTrusted }: CaseParts,
  { conversationId, agentId }: { readonly conversationId: string; readonly agentId: string },
): Promise<Result<{ readonly agent: string; readonly name: string; readonly text: string }>> {
  const record = await store.read(conversationId)
  if (!record.ok) return record
  const told: Told = {
    ...{ spawned: null, task: null, reports: new FinalReports() },
    ...{ changed: new Set<string>(), allowed: new Set<string>(), asked: new Map<string, string>() },
  }
  for await (const batch of store.readConversation(conversationId)) {
    if (!batch.ok) return batch
    for (const event of batch.value)
      if ('agentId' in event && event.agentId === agentId) take(told, event as AgentEvent)
  }
  const { spawned, task } = told
  if (spawned === null) return fail({ type: 'not-found', message: 'This agent is not in the conversation.' })
  if (task === null) return fail({ type: 'no-task', message: 'This agent was given no task yet.' })
  const { folder, scratch } = record.value
  const top = spawned.worktree?.path ?? folder
  const commit =
    spawned.worktree?.base ?? (isTrusted(folder) ? await commitAt(git, folder, spawned.at) : null)
  const name = nameFrom(task)
  const text = caseText({
    name,
    task,
    start: commit === null ? { type: 'head' } : { type: 'commit', commit },
    role: spawned.parentId === null && !scratch ? 'main' : 'subagent',
    checks: checksFrom(
      told.reports.of(agentId),
      [...told.changed].map((path) => relative(top, path).split(sep).join('/')),
    ),
    limits: { turns: null, tokens: null, usd: null, ms: null },
    permissions: {
      mode:
        spawned.permissionMode === 'acceptEdits' || spawned.permissionMode === 'plan'
          ? spawned.permissionMode
          : 'default',
      allow: [...told.allowed],
      deny: [],
    },
  })
  return ok({ agent: spawned.definition.name, name, text: `${HEAD}${text}` })
}

const HEAD = `# The checks are what this agent did. Keep what every good answer has, and say what else must be true.
`

function take(told: Told, event: AgentEvent): void {
  told.reports.take(event)
  switch (event.type) {
    case 'agent-spawned':
      told.spawned = event
      break
    case 'user-message':
      if (event.from === 'user' || event.from === 'parent') told.task ??= textOf(event.content).trim() || null
      break
    case 'permission-asked':
      if (event.alwaysRule !== null) told.asked.set(event.requestId, event.alwaysRule)
      break
    case 'permission-answered': {
      const rule = told.asked.get(event.requestId)
      if (rule !== undefined && event.decision.startsWith('allow')) told.allowed.add(rule)
      break
    }
    case 'files-changed':
      for (const { path } of event.files) told.changed.add(path)
      break
    default:
      break
  }
}

/** The commit of the folder at a time, by the branch that is checked out now. */
async function commitAt(git: Git, folder: string, at: number): Promise<string | null> {
  const before = `--before=${new Date(at).toISOString()}`
  const found = await git.run(folder, ['rev-list', '-1', before, 'HEAD'])
  return found.ok ? found.value.trim() || null : null
}

const LONGEST_NAME = 60
const MOST_PLACES = 3
const MOST_FILES = 10

/** The places that the report names, and the files that the agent changed. */
function checksFrom(report: string, changed: readonly string[]): readonly CaseCheck[] {
  const places = [...new Set(report.match(/[\w./-]*\w\.\w{1,5}:\d+/g) ?? [])].slice(0, MOST_PLACES)
  const inFolder = changed.filter((path) => path !== '' && !path.startsWith('..')).slice(0, MOST_FILES)
  const [line = ''] = report.trim().split('\n')
  return [
    ...places.map((text): CaseCheck => ({ type: 'report-contains', text })),
    inFolder.length > 0
      ? { type: 'files-changed', paths: inFolder }
      : { type: 'files-unchanged', paths: ['**'] },
    ...(places.length === 0 && inFolder.length === 0 && line !== ''
      ? [{ type: 'opinion' as const, rubric: `The report says in substance: ${line.slice(0, 300)}` }]
      : []),
  ]
}

/** The first line of the task, cut at a word. */
function nameFrom(task: string): string {
  const line = (task.split('\n')[0] ?? '').replace(/[.!]+$/, '').trim()
  return line.length <= LONGEST_NAME ? line : `${line.slice(0, LONGEST_NAME).replace(/\s+\S*$/, '')} …`
}
