/** `troupe agents list`: the definitions that hold in a folder, and what is wrong with the others. */
import type { DefinitionSource } from '../runtime/ports.ts'
import { EXIT } from './usage.ts'

export async function agentsList(options: {
  readonly definitions: DefinitionSource
  readonly folder: string
  readonly trusted: boolean
  readonly json: boolean
  readonly output: { write(text: string): void }
  readonly errors: { write(text: string): void }
}): Promise<number> {
  const { definitions, folder, trusted, json, output, errors } = options
  const loaded = await definitions.load(folder, { trusted })
  if (json) {
    for (const { prompt: _, ...definition } of loaded.definitions)
      output.write(`${JSON.stringify(definition)}\n`)
    for (const problem of loaded.problems) output.write(`${JSON.stringify({ problem })}\n`)
  } else {
    const shown = loaded.definitions.filter((definition) => !definition.hidden)
    const width = Math.max(0, ...shown.map((definition) => definition.name.length))
    for (const { name, source, description } of shown)
      output.write(`${name.padEnd(width)}  ${source.padEnd(8)}  ${firstLine(description)}\n`)
    for (const { file, line, message } of loaded.problems)
      errors.write(`${file}${line === null ? '' : `:${line}`}: ${message}\n`)
    if (!trusted)
      errors.write('This folder is not trusted, so its own agents are left out. Add --trust to see them.\n')
  }
  return loaded.problems.some((problem) => problem.severity === 'error') ? EXIT.failed : EXIT.done
}

const firstLine = (text: string): string => text.split('\n')[0]?.slice(0, 100) ?? ''
