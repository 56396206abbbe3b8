/** The definition of an agent that a known program carries out, as the text of a file. */
import type { KnownProgram } from './known-programs.ts'

/** How a program is started. */
export interface ProgramStart {
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

export function programDefinition(
  { id, description, color, aliases }: Pick<KnownProgram, 'id' | 'description' | 'color' | 'aliases'>,
  { command, args, env }: ProgramStart,
): string {
  const lines = [
    `name: ${id}`,
    // A JSON text is a quoted text of YAML.
    `description: ${JSON.stringify(description)}`,
    `color: ${color}`,
    ...(aliases.length === 0 ? [] : [`aliases: [${aliases.join(', ')}]`]),
    'backing: acp',
    `command: ${JSON.stringify(command)}`,
    ...(args.length === 0 ? [] : [`args: ${JSON.stringify(args)}`]),
    ...(Object.keys(env).length === 0 ? [] : [`env: ${JSON.stringify(env)}`]),
  ]
  return `---\n${lines.join('\n')}\n---\n`
}
