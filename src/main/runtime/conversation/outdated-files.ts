/**
 * Tells an agent of files that it has read or written and that others changed since: before its next request, once for
 * each change. Only files whose time or size differs are read.
 */
import type { AgentEvent, AgentEventDraft } from '../../../shared/events/agent-event.ts'
import { countOf } from '../../../shared/kernel/amounts.ts'
import { contentDigest } from '../../../shared/kernel/content-digest.ts'
import { makeVisible } from '../../../shared/kernel/visible-text.ts'
import { pathBelow } from '../paths/paths.ts'
import type { FileSystem } from '../ports/files.ts'
import type { LaterState, SessionFile, ToolSession } from '../ports/tool.ts'

/** The files that were read or written last. */
const MOST_CHECKED = 500
const MOST_NAMED = 20
/** Notices about one file until the agent reads it again: a log changes all the time. */
const MOST_TIMES = 3

export interface OutdatedFilesDeps {
  readonly files: Pick<FileSystem, 'stat' | 'read'>
  /** The outputs of the agent's own calls, which grow. */
  readonly outputFolder: string
  /** Who brought the file into this state: "the agent reviewer". */
  changedBy(path: string, state: LaterState): ChangedBy
  /** ms since the epoch: when the agent's last calls that may change files began; null: there are none. */
  readonly callsSince: number | null
}

export interface ChangedBy {
  /** "the agent reviewer" */
  readonly text: string
  /** Whether a recorded change of another agent led to this state. */
  readonly isKnown: boolean
}

type FilesTold = Extract<AgentEventDraft, { type: 'files-told' }>

/** Null: nothing to tell. Files that were only touched, and the agent's own changes, are noted in `session.seen`. */
export async function outdatedFiles(
  { seen, root }: Pick<ToolSession, 'seen' | 'root'>,
  { files, outputFolder, changedBy, callsSince }: OutdatedFilesDeps,
): Promise<FilesTold | null> {
  const known = [...seen.values()]
    .slice(-MOST_CHECKED)
    .filter(({ path }) => pathBelow(outputFolder, path) === null)
  const checked = await Promise.all(
    known.map(async (file) => {
      const stat = await files.stat(file.path)
      if (!stat.ok && stat.failure.type !== 'not-found') return []
      const state = stat.ok ? { mtimeMs: stat.value.mtimeMs, size: stat.value.size } : null
      if (isSame(state, file.later === undefined ? file : file.later.state)) return []
      const by = changedBy(file.path, state)
      // What a command changes outside the agent's folder, or in ignored folders, is not recorded.
      const mayBeOwn = callsSince !== null && (state?.mtimeMs ?? callsSince) >= callsSince
      if (isOwn(file, state) || (mayBeOwn && !by.isKnown) || (file.later?.times ?? 0) >= MOST_TIMES) {
        seen.set(file.path, { ...file, later: { state, times: file.later?.times ?? 0 } })
        return []
      }
      if (state !== null && (await hasSameContent(file, state, files))) {
        const { later: _, ...same } = file
        seen.set(file.path, { ...same, ...state })
        return []
      }
      return [{ path: file.path, state, by: by.text }]
    }),
  )
  const changed = checked.flat()
  if (changed.length === 0) return null
  const lines = changed
    .slice(0, MOST_NAMED)
    .map(
      ({ path, state, by }) =>
        `- ${makeVisible(pathBelow(root, path) ?? path)}: ${state === null ? 'deleted' : 'changed'} by ${by}`,
    )
  const more = changed.length - lines.length
  const list = [...lines, ...(more > 0 ? [`- and ${countOf(more, 'more file')}`] : [])].join('\n')
  return {
    type: 'files-told',
    files: changed.map(({ path, state }) => ({ path, state })),
    text: `These files have changed since you last read or wrote them:\n${list}\nRead such a file again before you edit it or rely on it, and keep what others changed there.`,
    note: `The agent was told that files it knows have changed:\n${list}`,
  }
}

/** Adds to the files of an agent what an event of this agent says about later changes. */
export function foldLaterChanges(seen: Map<string, SessionFile>, event: AgentEvent): void {
  const add = (path: string, more: Pick<SessionFile, 'later' | 'own'>) => {
    const file = seen.get(path)
    if (file) seen.set(path, { ...file, ...more })
  }
  if (event.type === 'files-told')
    for (const { path, state } of event.files)
      add(path, { later: { state, times: (seen.get(path)?.later?.times ?? 0) + 1 } })
  // A change by an unknown author may be another agent's.
  if (event.type === 'files-changed' && event.cause !== 'user')
    for (const { path, after, maybeBy } of event.files)
      if (maybeBy.length === 0) add(path, { own: { at: event.at, size: after?.size ?? null } })
}

/** Whether a file is in the state in which a recorded change left it: not written since, and as large. */
export function isLeftBy(change: { readonly at: number; readonly size: number | null }, state: LaterState) {
  return state === null ? change.size === null : state.size === change.size && state.mtimeMs <= change.at + 1
}

const isOwn = ({ own }: SessionFile, state: LaterState): boolean => own !== undefined && isLeftBy(own, state)

const isSame = (one: LaterState, other: LaterState): boolean =>
  one?.mtimeMs === other?.mtimeMs && one?.size === other?.size

/** Whether the file was only written again, as a switch of branches and back does. */
async function hasSameContent(
  { path, digest, size }: SessionFile,
  state: NonNullable<LaterState>,
  files: OutdatedFilesDeps['files'],
): Promise<boolean> {
  if (digest === undefined || size !== state.size) return false
  const bytes = await files.read(path, { real: true, limit: state.size })
  return bytes.ok && contentDigest(bytes.value) === digest
}
