/** Answers the user's commands on comparisons. */

import { z } from 'zod'
import { attemptOf, type Comparison } from '../../../shared/comparison/comparison.ts'
import type { NameOf } from '../../../shared/ipc/handlers.ts'
import { fail, ok } from '../../../shared/kernel/result.ts'
import { isLive } from '../../../shared/state/agent-state.ts'
import { recordMerge } from '../agent/merge-work.ts'
import type { Assembly, Conversation } from '../conversation/conversation.ts'
import { resolvePath } from '../paths/paths.ts'
import type { FileSystem } from '../ports/files.ts'
import type { FoundMerge, Runtime, RuntimeHandlers } from '../ports/runtime.ts'
import { stopAgent } from '../run/control.ts'
import type { OpenConversations } from '../run/open-conversations.ts'
import { checkAgain } from './check-attempt.ts'
import { startComparison } from './start-comparison.ts'

export function comparisonHandlers(
  conversations: OpenConversations,
  { ports }: Pick<Assembly, 'ports'>,
): Pick<RuntimeHandlers, NameOf<'comparison'>> {
  return {
    'comparison.start': ({ conversationId, ...wanted }) =>
      conversations.use(conversationId, (conversation) => startComparison(conversation, wanted)),
    'comparison.stop': ({ conversationId, comparisonId }) =>
      conversations.use(conversationId, async (conversation) => {
        const found = conversation.file.record.comparisons.find(({ id }) => id === comparisonId)
        if (found === undefined)
          return fail({ type: 'not-found', message: 'There is no such comparison in this conversation.' })
        await Promise.all(found.attempts.map(({ agentId }) => stopAttempt(conversation, agentId)))
        return ok(undefined)
      }),
    'comparison.check': ({ conversationId, agentId }) =>
      conversations.use(conversationId, (conversation) => checkAgain(conversation, agentId)),
    'comparison.uncommitted': async ({ folder }) => {
      const state = ports.policy.trusted(folder) ? await ports.folders.gitState(folder) : null
      return ok(
        (state?.status ?? []).filter((line) => /^[ MADRCUT?!]{2} /.test(line)).map((line) => line.slice(3)),
      )
    },
    'comparison.suggestCheck': async ({ folder }) => ok(await suggestCheck(folder, ports.files)),
  }
}

/** Records merges of the work of attempts. */
export function mergeRecords(
  conversations: OpenConversations,
  { ports }: Pick<Assembly, 'ports'>,
): Pick<Runtime, 'workMerged' | 'mergesFound'> {
  return {
    workMerged: async ({ conversationId, agentId, merged }) => {
      const record = await ports.store.read(conversationId)
      if (!record.ok || attemptOf(record.value.comparisons, agentId) === null) return ok(undefined)
      return conversations.use(conversationId, (conversation) =>
        recordMerge(conversation, {
          agentId,
          merged: merged && { into: merged.into, commit: merged.commit },
          by: 'user',
        }),
      )
    },
    mergesFound: async (conversationId, merges) => {
      const record = await ports.store.read(conversationId)
      if (!record.ok || unrecorded(record.value.comparisons, merges).length === 0) return ok(undefined)
      return conversations.use(conversationId, async (conversation) => {
        for (const { agentId, into, commit } of unrecorded(conversation.file.record.comparisons, merges)) {
          const recorded = await recordMerge(conversation, { agentId, merged: { into, commit }, by: 'user' })
          if (!recorded.ok) return recorded
        }
        return ok(undefined)
      })
    },
  }
}

/** The newest merge of each comparison that is not recorded. */
function unrecorded(
  comparisons: readonly Comparison[],
  merges: readonly FoundMerge[],
): readonly FoundMerge[] {
  return comparisons.flatMap(({ attempts, merged }) => {
    const newest = merges
      .filter(({ agentId }) => attempts.some((attempt) => attempt.agentId === agentId))
      .reduce<FoundMerge | null>((last, one) => (last === null || one.at > last.at ? one : last), null)
    const isKnown = merged?.agentId === newest?.agentId && merged?.commit === newest?.commit
    return newest === null || isKnown ? [] : [newest]
  })
}

async function stopAttempt(conversation: Conversation, agentId: string): Promise<void> {
  conversation.checks.stop(agentId)
  const state = conversation.agents.state(agentId)
  if (state !== null && isLive(state)) await stopAgent(conversation, agentId)
}

/** A longer file is not looked at. */
const LONGEST_FILE = 1 << 20

/** Suggests the command that checks a project, from the files of its folder. Nothing is run. */
export async function suggestCheck(
  folder: string,
  files: Pick<FileSystem, 'read' | 'stat'>,
): Promise<{ command: string; from: string } | null> {
  const text = async (name: string): Promise<string | null> => {
    const read = await files.read(resolvePath(folder, name), { limit: LONGEST_FILE })
    return read.ok ? new TextDecoder().decode(read.value) : null
  }
  const exists = async (name: string) => (await files.stat(resolvePath(folder, name))).ok
  const manifest = await text('package.json')
  if (manifest !== null && hasTestScript(manifest)) {
    for (const [lock, program] of LOCKS)
      if (await exists(lock)) return { command: `${program} test`, from: 'package.json' }
    return { command: 'npm test', from: 'package.json' }
  }
  for (const [file, command] of PLAIN) if (await exists(file)) return { command, from: file }
  const python = await text('pyproject.toml')
  if (python?.includes('[tool.pytest')) return { command: 'pytest', from: 'pyproject.toml' }
  const makefile = await text('Makefile')
  return makefile !== null && /^test\s*:(?!=)/m.test(makefile)
    ? { command: 'make test', from: 'Makefile' }
    : null
}

/** The programs other than npm, by their lock file. */
const LOCKS = [
  ['pnpm-lock.yaml', 'pnpm'],
  ['yarn.lock', 'yarn'],
  ['bun.lock', 'bun run'],
  ['bun.lockb', 'bun run'],
] as const

const PLAIN = [
  ['Cargo.toml', 'cargo test'],
  ['go.mod', 'go test ./...'],
  ['pytest.ini', 'pytest'],
] as const

const withScripts = z.object({ scripts: z.object({ test: z.string() }) })

/** `npm init` writes a test script that only fails. */
function hasTestScript(manifest: string): boolean {
  try {
    const read = withScripts.safeParse(JSON.parse(manifest))
    return read.success && !/no test specified/i.test(read.data.scripts.test)
  } catch {
    return false
  }
}
