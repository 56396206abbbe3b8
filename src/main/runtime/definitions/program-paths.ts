/** Paths of Troupe in the prompts of the built-in agents: `{{docs}}` and `{{settings}}`. */
import type { LoadedDefinition } from '../ports/definitions.ts'

export interface ProgramPaths {
  /** The installed docs, absolute; null if there are none. */
  readonly docsFolder: string | null
  /** The settings file that Troupe writes, absolute. */
  readonly settingsFile: string | null
}

export const noProgramPaths: ProgramPaths = { docsFolder: null, settingsFile: null }

/** Whether the definition is built in and reads the docs. */
export function readsDocs({ source, prompt }: LoadedDefinition): boolean {
  return source === 'built-in' && prompt.includes('{{docs}}')
}

/** The definition with the paths filled in. Only built-in definitions have placeholders. */
export function withProgramPaths(definition: LoadedDefinition, paths: ProgramPaths): LoadedDefinition {
  if (definition.source !== 'built-in') return definition
  const prompt = definition.prompt
    .replaceAll('{{docs}}', () => paths.docsFolder ?? '(not installed)')
    .replaceAll('{{settings}}', () => paths.settingsFile ?? '(unknown)')
  return { ...definition, prompt }
}
