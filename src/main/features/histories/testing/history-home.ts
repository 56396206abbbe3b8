/** A home with what other agent programs keep, and the histories that Troupe reads of it. */
import { appendFile, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { AgentEvent } from '../../../../shared/events/agent-event.ts'
import type { TranscriptRow } from '../../../../shared/events/transcript-row.ts'
import type { HistoryEntry, HistoryProgram } from '../../../../shared/histories/history.ts'
import type { AgentState } from '../../../../shared/state/agent-state.ts'
import { TranscriptRows } from '../../../../shared/transcript/transcript-rows.ts'
import { createSystemClock } from '../../../platform/system/machine-time.ts'
import { createTranscriptStore } from '../../../platform/transcripts/create-transcript-store.ts'
import { unwrap } from '../../../platform/transcripts/testing/open-store.ts'
import { tempFolder } from '../../../platform/transcripts/testing/temp-folder.ts'
import type { TranscriptStore } from '../../../runtime/ports/transcripts.ts'
import { createHistories, type Histories } from '../histories.ts'
import { withHistories } from '../history-store.ts'

/** A conversation as Troupe shows it. */
interface Read {
  readonly agents: readonly AgentState[]
  /** By the task of the agent; of the main agent ''. */
  readonly rows: ReadonlyMap<string, readonly TranscriptRow[]>
  readonly events: readonly AgentEvent[]
  readonly leftOut: readonly string[]
}

interface HistoryHome {
  readonly home: string
  readonly dataFolder: string
  readonly store: TranscriptStore
  readonly histories: Histories
  /** As another start of the program would have them. */
  again(): Histories
  write(path: string, text: string | Uint8Array): Promise<void>
  append(path: string, text: string): Promise<void>
  list(program: HistoryProgram): Promise<readonly HistoryEntry[]>
  read(id: string): Promise<Read>
  /** Every file below the home, with its text and the time of its last change. */
  everything(): Promise<ReadonlyMap<string, string>>
}

export async function historyHome({
  choices = {},
  elapsed,
}: {
  readonly choices?: Partial<Record<HistoryProgram, boolean>>
  /** ms; missing: each question is later than the last one, so that no list is taken for a fresh one. */
  readonly elapsed?: () => number
} = {}): Promise<HistoryHome> {
  const base = await tempFolder()
  const [home, dataFolder] = [join(base, 'home'), join(base, 'data')]
  await mkdir(home)
  const clock = createSystemClock()
  let count = 0
  const again = () =>
    createHistories({
      ...{ dataFolder, home, variables: {} },
      settings: { current: { histories: choices, recentFolders: ['/work/shop'], trustedFolders: [] } },
      elapsed: elapsed ?? (() => ++count * 5000),
      cache: (folder) => createTranscriptStore({ dataFolder: folder, clock }),
    })
  const histories = again()
  const store = withHistories(createTranscriptStore({ dataFolder, clock }), histories)
  return {
    ...{ home, dataFolder, store, histories, again },
    write: async (path, text) => {
      await mkdir(dirname(join(home, path)), { recursive: true })
      await writeFile(join(home, path), text)
    },
    append: (path, text) => appendFile(join(home, path), text),
    list: async (program) => {
      const [source] = unwrap(await histories.list({ program, allow: [program] }))
      return source?.entries ?? []
    },
    read: async (id) => {
      const record = unwrap(await store.read(id))
      const agents = unwrap(await store.states(record.agentIds))
      const rows = new Map<string, readonly TranscriptRow[]>()
      const events: AgentEvent[] = []
      for (const agent of agents) {
        const own: AgentEvent[] = []
        for await (const batch of store.events(agent.id)) own.push(...unwrap(batch))
        events.push(...own)
        rows.set(agent.parentId === null ? '' : agent.task, TranscriptRows.from(own).rows)
      }
      return { agents, rows, events, leftOut: record.history?.leftOut ?? [] }
    },
    everything: async () => {
      const entries = await readdir(home, { recursive: true, withFileTypes: true })
      const files = entries
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name))
      return new Map(
        await Promise.all(
          files.map(
            async (file) => [file, `${(await stat(file)).mtimeMs} ${await readFile(file, 'utf8')}`] as const,
          ),
        ),
      )
    },
  }
}
