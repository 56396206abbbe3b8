/** How a program is started, or why it can't be, and the definition of its agent. */
import { sep } from 'node:path'
import { isBelow } from '../../../platform/system/plain-text.ts'
import type { FoundProgram } from './find-programs.ts'
import type { KnownProgram } from './known-programs.ts'
import type { NodeRuntimes } from './node-runtime.ts'

export interface ProgramStartOptions {
  readonly nodes: NodeRuntimes
  /** All variables of the user, with the stored keys. Read at each start. */
  readonly variables: Readonly<Record<string, string | undefined>>
}

/** Its variables are references to those that the user has. Null: no Node is new enough. */
export async function programStartOf(
  { args, node, env: names }: KnownProgram,
  { file, real, isScript, node: own }: FoundProgram,
  { nodes, variables }: ProgramStartOptions,
): Promise<ProgramStart | null> {
  const env = Object.fromEntries(
    names.flatMap((name) => (variables[name] === undefined ? [] : [[name, `\${${name}}`]])),
  )
  if (!isScript) return { command: file, args, env }
  const runtime = await nodes.fit(Math.max(node ?? 0, own ?? 0))
  return runtime && { command: runtime.command, args: [real, ...args], env: { ...env, ...runtime.env } }
}

/** Why no Node can run it, also before an installation (`best` null). */
export async function nodeProblem(
  { title, node, binary }: KnownProgram,
  best: FoundProgram | null,
  nodes: NodeRuntimes,
): Promise<string | null> {
  const needsNode = best === null ? binary === null : best.isScript
  const oldest = Math.max(node ?? 0, best?.node ?? 0)
  if (!needsNode || oldest === 0 || (await nodes.fit(oldest)) !== null) return null
  const versions = await nodes.versions()
  const there = versions.length === 0 ? 'none was found' : `found: ${versions.join(', ')}`
  return `${title} needs Node ${oldest} or newer (${there}). Install it, so that the command node is on your PATH, and start Troupe again.`
}

/** Says what the user has already, and what is missing. */
export function partnerNote({ partner, command, title }: KnownProgram, file: string | null): string | null {
  if (partner === null || file === null) return null
  return `${partner.title} is here (${file}), but it does not speak the Agent Client Protocol by itself. Install ${title} for Troupe, which adds ${command}; it uses the same login.`
}

/** Whether a project could have put the program there. */
export function isInProject(project: string, { file, real }: FoundProgram): boolean {
  const root = project.endsWith(sep) ? project.slice(0, -1) : project
  return [file, real].some((path) => isBelow(root, path))
}

/** How a program is started. */
export interface ProgramStart {
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

/** The definition of an agent that a known program carries out, as the text of a file. */
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
