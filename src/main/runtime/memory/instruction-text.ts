/** Instructions and memory as an agent reads them. */
import { makeVisible } from '../../../shared/visible-text.ts'
import type { AgentMemory, InstructionFile } from '../ports.ts'

/** A file of instructions under its path. */
export function instructionSection({ path, importedBy, text }: InstructionFile): string {
  const by = importedBy === null ? '' : `, imported by ${makeVisible(importedBy)}`
  return `## From ${makeVisible(path)}${by}\n${text.trim()}`
}

/** What user and project say; empty where they say nothing. */
export function instructionsText({ files }: Pick<AgentMemory, 'files'>): string {
  const told = files.filter(({ scope }) => scope !== 'agent')
  if (told.length === 0) return ''
  return `# Instructions of this project and its user
They hold for all work here, unless the user says otherwise.

${told.map(instructionSection).join('\n\n')}`
}

/** What an agent is told of its own memory; empty where it has none. `toolNames`: those it has. */
export function ownMemoryText(
  { files, folder }: Pick<AgentMemory, 'files' | 'folder'>,
  { readOnly, toolNames }: { readonly readOnly: boolean; readonly toolNames: readonly string[] },
): string {
  if (folder === null) return ''
  const notes = files.find(({ scope }) => scope === 'agent')
  const writes = !readOnly && (toolNames.includes('Write') || toolNames.includes('Edit'))
  const said =
    notes === undefined
      ? 'MEMORY.md says nothing yet.'
      : `MEMORY.md says this. It was true when it was written: look before you build on it.\n\n${notes.text.trim()}`
  return `# Your memory
The folder ${makeVisible(folder)} is yours alone: what lies there is still there the next time you are started. ${writes ? KEEPING : ONLY_READING}

${said}`
}

const KEEPING = `You read and write in it without asking. Its MEMORY.md is shown to you at each start, up to 200 lines or 25 KB; longer notes go into other files there, with a line in MEMORY.md that says what they hold.
How to keep it:
- Note what will save time again: where things are, how it is built and tested, what the user wants done differently, what turned out to be a trap. Do so when you learn it, not at the end.
- One fact a line, short and exact. Change the line that is there already rather than adding a second one.
- Remove what is wrong or no longer true.
- Leave out what only this task needs, what the instructions or the code say anyway, and every password, key or token.`

const ONLY_READING = 'This time you can read it, not write to it.'
