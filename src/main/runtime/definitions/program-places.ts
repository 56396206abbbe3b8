/** Places of the program itself that its own agents speak of: `{{docs}}` and `{{settings}}` in their prompts. */
import type { LoadedDefinition } from '../ports.ts'

export interface ProgramPlaces {
  /** The docs that came with the program, absolute; null where there are none. */
  readonly docsFolder: string | null
  /** The settings that it writes, absolute. */
  readonly settingsFile: string | null
}

export const noPlaces: ProgramPlaces = { docsFolder: null, settingsFile: null }

/** Whether the definition is one of the program's own that reads the docs. */
export function readsDocs({ source, prompt }: LoadedDefinition): boolean {
  return source === 'built-in' && prompt.includes('{{docs}}')
}

/** The definition with the places filled in. Only the program's own have any. */
export function withPlaces(definition: LoadedDefinition, places: ProgramPlaces): LoadedDefinition {
  if (definition.source !== 'built-in') return definition
  const prompt = definition.prompt
    .replaceAll('{{docs}}', () => places.docsFolder ?? '(a folder that was not installed)')
    .replaceAll('{{settings}}', () => places.settingsFile ?? '(a file that is not known here)')
  return { ...definition, prompt }
}
