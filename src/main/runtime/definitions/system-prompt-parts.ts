/** The parts of a system prompt that `buildSystemPrompt` has built, found by their headings. */
import type { LoadedInstructions } from '../../../shared/events/agent-event.ts'
import { makeVisible } from '../../../shared/kernel/visible-text.ts'

interface PromptPart {
  readonly kind: 'system' | 'instructions' | 'memory' | 'skills'
  /** A heading, or the path of a file. */
  readonly label: string
  /** In characters. */
  readonly length: number
}

/** Headings in their order, with enough of the text below them to tell them from headings of a definition. */
const HEADINGS = [
  ['# Where you work\nFolder: ', 'Environment'],
  ['# Your report\nYour last message is your report', 'Report'],
  ['# Your team\nYou are a member', 'Team'],
  ['# Permissions\n', 'Permissions'],
  ['# Notices\n', 'Notices'],
] as const
const INSTRUCTIONS = '# Instructions of this project and its user\n'
const MEMORY = '# Your memory\nThe folder '
const SKILL = /\n\n# Skill (.*)\nThe skill’s files are in /g

/**
 * @param files those whose text the prompt contains
 * @returns the parts in their order; their lengths add up to the prompt's
 */
export function systemPromptParts(
  system: string,
  files: readonly LoadedInstructions[],
): readonly PromptPart[] {
  const marks: Mark[] = []
  const mark = (text: string, kind: PromptPart['kind'], label: string): void => {
    const at = afterGap(system, text, marks.at(-1)?.at ?? -1)
    if (at >= 0) marks.push({ at, kind, label })
  }
  for (const [text, label] of HEADINGS) mark(text, 'system', label)
  mark(INSTRUCTIONS, 'instructions', 'Instructions')
  const heading = marks.at(-1)
  if (heading?.kind === 'instructions') {
    for (const { path, scope } of files)
      if (scope !== 'agent') mark(`## From ${makeVisible(path)}`, 'instructions', path)
    // The heading counts with the first file.
    const first = marks.indexOf(heading) + 1
    const file = marks[first]
    if (file !== undefined) marks.splice(first - 1, 2, { ...file, at: heading.at })
  }
  mark(MEMORY, 'memory', files.find(({ scope }) => scope === 'agent')?.path ?? 'MEMORY.md')
  const rest = marks.at(-1)?.at ?? 0
  for (const { index, 1: name = '' } of system.slice(rest).matchAll(SKILL))
    marks.push({ at: rest + index + 2, kind: 'skills', label: name })
  const parts = marks.map(({ at, kind, label }, index) => ({
    kind,
    label,
    length: (marks[index + 1]?.at ?? system.length) - at,
  }))
  const first = marks[0]?.at ?? system.length
  return first === 0 ? parts : [{ kind: 'system', label: 'Definition', length: first }, ...parts]
}

interface Mark {
  readonly at: number
  readonly kind: PromptPart['kind']
  readonly label: string
}

/** The position of a text at the start or after an empty line, behind `last`; -1: there is none. */
function afterGap(system: string, text: string, last: number): number {
  if (last < 0 && system.startsWith(text)) return 0
  const at = system.indexOf(`\n\n${text}`, Math.max(0, last))
  return at < 0 ? -1 : at + 2
}
