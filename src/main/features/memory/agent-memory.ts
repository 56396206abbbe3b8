/** An agent's own notes: its memory folder, and the MEMORY.md in the folder. */
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { makeVisible } from '../../../shared/kernel/visible-text.ts'
import { realPathOf } from '../../platform/system/real-path.ts'
import type { AgentMemory } from '../../runtime/ports/definitions.ts'
import type { FileSystem } from '../../runtime/ports/files.ts'
import { shortDigest } from './digest-of.ts'
import { firstBytes, textOfInstructions } from './instruction-bytes.ts'
import type { ReadingRules } from './read-instructions.ts'

/** Limits of the notes. Longer notes are cut. */
const MOST_LINES = 200
const MOST_BYTES = 25 * 1024
/** Bytes. Larger files are not read. */
const LARGEST_READ = 16 * 1024 * 1024

/** The folder may be missing. If a link leads to another folder, the agent has no memory folder. */
export async function readAgentMemory(
  { location, below }: { readonly location: string; readonly below: readonly string[] },
  files: Pick<FileSystem, 'read'>,
  told?: ReadingRules['told'],
): Promise<AgentMemory> {
  const none = (why: string): AgentMemory => ({
    files: [],
    folder: null,
    problems: [`The agent runs without its memory: ${why}`],
  })
  const base = await realPathOf(location)
  if (!base.ok) return none(makeVisible(base.failure.message))
  const folder = join(base.value, ...below)
  const real = await realPathOf(folder)
  if (!real.ok) return none(makeVisible(real.failure.message))
  if (real.value !== folder)
    return none(
      `${makeVisible(folder)} is reached through a link, to ${makeVisible(real.value)}. Put a plain folder there.`,
    )
  const found = await stat(folder).catch(() => null)
  if (found && !found.isDirectory()) return none(`${makeVisible(folder)} is not a folder.`)
  return { folder, ...(await readNotes(join(folder, 'MEMORY.md'), files, told)) }
}

/**
 * Imports are ignored: an agent could otherwise bring other files of the user into its next prompt.
 * @param told what the agent is told instead of the notes; null: nothing
 */
async function readNotes(
  path: string,
  files: Pick<FileSystem, 'read'>,
  told: ReadingRules['told'] = async ({ text }) => text,
): Promise<Pick<AgentMemory, 'files' | 'problems'>> {
  const none = (...problems: string[]) => ({ files: [], problems })
  const read = await files.read(path, { real: true, limit: LARGEST_READ })
  if (!read.ok) return read.failure.type === 'not-found' ? none() : none(makeVisible(read.failure.message))
  if (textOfInstructions(firstBytes(read.value, MOST_BYTES)) === null)
    return none(`${makeVisible(path)} was not read: it is not text.`)
  const bytesTold = Buffer.from((await told({ path, text: new TextDecoder().decode(read.value) })) ?? '')
  const whole = textOfInstructions(firstBytes(bytesTold, MOST_BYTES)) ?? ''
  const lines = whole.split('\n')
  const isLong = lines.length > MOST_LINES + (lines.at(-1) === '' ? 1 : 0)
  const isCut = isLong || bytesTold.length > MOST_BYTES
  const kept = isLong ? lines.slice(0, MOST_LINES).join('\n') : whole
  if (kept.trim() === '') return none()
  const text = isCut ? `${kept.trimEnd()}\n${CUT}` : kept
  const bytes = Buffer.byteLength(text)
  return {
    files: [{ path, scope: 'agent', importedBy: null, bytes, digest: shortDigest(text), text }],
    problems: isCut
      ? [
          `${makeVisible(path)} is longer than ${MOST_LINES} lines or ${MOST_BYTES / 1024} KB. Only its beginning was read.`,
        ]
      : [],
  }
}

const CUT = `[cut here: of MEMORY.md at most ${MOST_LINES} lines and ${MOST_BYTES / 1024} KB are read. Shorten it.]`
