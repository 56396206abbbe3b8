/** Instructions and memory as text for an agent. */

import { makeVisible } from '../../../shared/kernel/visible-text.ts'
import { toolFacts } from '../../../shared/tools/tool-facts.ts'
import type { AgentMemory, InstructionFile } from '../ports/definitions.ts'

/** The section of one instruction file. */
export function instructionSection({ path, importedBy, text }: InstructionFile): string {
  const by = importedBy === null ? '' : `, imported by ${makeVisible(importedBy)}`
  return `## From ${makeVisible(path)}${by}\n${text.trim()}`
}

/** The instructions of user and project; empty if there are none. */
export function instructionsText({ files }: Pick<AgentMemory, 'files'>): string {
  const shown = files.filter(({ scope }) => scope !== 'agent')
  if (shown.length === 0) return ''
  return `# Instructions of this project and its user
They apply to all work here, unless the user says otherwise.

${shown.map(instructionSection).join('\n\n')}`
}

/** The section about the agent's own memory; empty if the agent has none. */
export function ownMemoryText(
  { files, folder }: Pick<AgentMemory, 'files' | 'folder'>,
  { readOnly, toolNames }: { readonly readOnly: boolean; readonly toolNames: readonly string[] },
): string {
  if (folder === null) return ''
  const notes = files.find(({ scope }) => scope === 'agent')
  const writes = !readOnly && toolNames.some((name) => toolFacts(name)?.kind === 'edit')
  const content =
    notes === undefined
      ? 'MEMORY.md is still empty.'
      : `The content of MEMORY.md follows. It was correct when it was written: verify a fact before you rely on it.\n\n${notes.text.trim()}`
  return `# Your memory
The folder ${makeVisible(folder)} belongs to you alone and is kept from one start to the next. ${writes ? KEEPING : ONLY_READING}

${content}`
}

const KEEPING = `You read and write there without permission. You receive its MEMORY.md at each start, up to 200 lines or 25 KB. Put longer notes into other files there, with a line in MEMORY.md that names each file and its content.
How to maintain it:
- Note what will save time later: where things are, how the project is built and tested, what the user wants done differently, which traps you found. Write a note when you learn the fact, not at the end.
- One fact a line, short and exact. Change an existing line rather than adding a second one.
- Remove what is wrong or outdated.
- Leave out what only this task needs, what the instructions or the code already say, and every password, key or token.`

const ONLY_READING = 'In this run you can read the folder, but not write to it.'
