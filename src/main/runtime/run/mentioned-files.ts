/**
 * The files that the user mentions in a message: `@src/cart.ts`, `@"my notes.md"`. Their content when the message is sent
 * goes to the agent with the message, if the agent may read them without a question. A word with `@` that names no file
 * stays text.
 */
import type { AttachedText } from '../../../shared/events/conversation.ts'
import { countOf, withCommas } from '../../../shared/kernel/amounts.ts'
import type { UserBlock } from '../../../shared/messages/content.ts'
import { textOf } from '../../../shared/messages/text-of.ts'
import { filesNamedIn } from '../../../shared/slash/expand-body.ts'
import type { AgentState } from '../../../shared/state/agent-state.ts'
import type { Conversation } from '../conversation/conversation.ts'
import { resolvePath } from '../paths/paths.ts'
import { decideCall } from '../permissions/decide-call.ts'
import type { PermissionDecision } from '../permissions/permission-concern.ts'
import { numberedLines, restOf } from '../tools/files/numbered-lines.ts'
import { decodeText } from '../tools/files/text-format.ts'

/** Files and folders of one message. */
const MOST_FILES = 20
/** Characters of all files of one message. */
const MOST_CHARACTERS = 200_000
/** Bytes of one file. */
const LARGEST_FILE = 32 * 1024 * 1024
const MOST_NAMES = 1000
const MOST_LINES = 2000

interface Mentioned {
  readonly text: string
  /** For the user: "src/cart.ts, 120 lines". */
  readonly note: string
}

/** The mentioned files of a message to an agent, as text for the agent and a line for the user; null: there are none. */
export async function mentionedFiles(
  conversation: Conversation,
  receiver: AgentState,
  content: readonly UserBlock[],
): Promise<AttachedText | null> {
  const parts = filesNamedIn(textOf([...content]))
  const paths = [...new Set(parts.flatMap((part) => (part.kind === 'file' ? [part.path] : [])))]
  const found: Mentioned[] = []
  let left = MOST_CHARACTERS
  for (const path of paths) {
    if (found.length === MOST_FILES) break
    const one = await mentionedFile(conversation, receiver, { path, left })
    if (one === null) continue
    found.push(one)
    left -= one.text.length
  }
  if (found.length === 0) return null
  return {
    text: `${INTRODUCTION}\n\n${found.map(({ text }) => text).join('\n\n')}`,
    note: `Attached: ${found.map(({ note }) => note).join(' · ')}`,
  }
}

const INTRODUCTION =
  'The user’s message mentions files with @. Their content follows as it was when the message was sent, each line after its number and a tab. You need not read them again to answer, but read a file with Read before you change it.'

async function mentionedFile(
  { ports, lifetime, file: { record } }: Conversation,
  receiver: AgentState,
  { path, left }: { readonly path: string; readonly left: number },
): Promise<Mentioned | null> {
  const { files } = ports
  const root = receiver.worktree?.path ?? record.folder
  const absolute = resolvePath(root, path)
  const without = (reason: string, note: string): Mentioned => ({
    text: inFile(path, `[Not attached: ${reason}]`),
    note: `${path}, ${note}`,
  })
  // Decided before anything about the file is looked at.
  const decision = await mayRead(absolute)
  const stat = await files.stat(absolute)
  if (!stat.ok || stat.value.kind === 'other') return null
  if (decision.kind !== 'allow')
    return without(
      decision.kind === 'ask'
        ? 'reading it needs the user’s permission, which Read asks for.'
        : `it may not be read. ${decision.because}`,
      'not attached: needs permission',
    )
  if (stat.value.kind === 'folder') {
    const listed = await files.list?.(absolute)
    const names = listed?.ok ? listed.value.toSorted() : []
    const rest = names.length > MOST_NAMES ? `\n[${names.length - MOST_NAMES} more. Use Glob.]` : ''
    const shown = names.length === 0 ? '[The folder is empty.]' : names.slice(0, MOST_NAMES).join('\n')
    return {
      text: `<folder path=${JSON.stringify(path)}>\n${shown}${rest}\n</folder>`,
      note: `${path}, ${countOf(names.length, 'entry', 'entries')}`,
    }
  }
  if (left <= 0) return without('the files before it fill the message. Use Read.', 'not attached: too much')
  const read = await files.read(absolute, { limit: LARGEST_FILE })
  if (!read.ok) return without(`${read.failure.message} Use Grep or a part.`, 'not attached: not readable')
  const decoded = decodeText(read.value)
  if (decoded === null) return without('it is not a text file. Use Read to see it.', 'not text: path only')
  if (decoded.text === '') return { text: inFile(path, '[The file is empty.]'), note: `${path}, empty` }
  const lines = numberedLines(decoded.text, { offset: 1, limit: MOST_LINES })
  const shownLines = lines.shown?.[1] ?? 0
  return {
    text: inFile(path, [lines.text, restOf(lines)].filter(Boolean).join('\n')),
    note: `${path}, ${shownLines < lines.total ? `${withCommas(shownLines)} of ` : ''}${countOf(lines.total, 'line')}`,
  }

  function mayRead(at: string): Promise<PermissionDecision> {
    const { definition } = receiver
    return decideCall(
      ports,
      {
        tool: 'Read',
        target: { kind: 'read', path: at },
        mode: receiver,
        session: { root, project: record.folder, cwd: root, worktree: null, readFolders: new Set() },
        definition,
        readOnly: definition.readOnly,
      },
      lifetime.signal,
    )
  }
}

/** The text can’t close its tag. */
const inFile = (path: string, text: string): string =>
  `<file path=${JSON.stringify(path)}>\n${text.replaceAll(/<\/(?=file\b)/gi, '<\\/')}\n</file>`
