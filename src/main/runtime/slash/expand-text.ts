/** The messages of commands, as a model receives them. */

import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import type { McpPrompt } from '../../../shared/mcp/mcp.ts'
import type { ExpandedCommand, SlashFailure } from '../../../shared/slash/slash-command.ts'
import { type SlashLine, splitArguments } from '../../../shared/slash/slash-line.ts'
import type { LoadedSkill } from '../ports/definitions.ts'

type Expanded = Result<ExpandedCommand, SlashFailure>

/** The first line of each message: who wrote the text below. `text` is a full sentence's end: `the text of …`. */
export function commandFrame({ name, rest }: SlashLine, text: string): string {
  const given = rest === '' ? 'without arguments' : `with the arguments: ${rest}`
  return `The user ran the command /${name} ${given}\nFollow ${text}\n\n`
}

/** What is written around the text of a skill that the user runs. */
export function skillFrame({ name, folder }: Pick<LoadedSkill, 'name' | 'folder'>): {
  readonly text: string
  readonly after: string
} {
  const files = `The skill’s files are in ${folder}, and its paths are relative to that folder.`
  return {
    text: `the skill ${name}:`,
    after: `${files} Before you read them, load the skill with the Skill tool: that gives you access.`,
  }
}

/**
 * A skill whose call does more than give its text: an agent of its own carries it out, or it has a model for the turn.
 * Null: its text is sent, also that of a skill with a model that agents may not load.
 */
export function expandCall(
  { name, fork, model, isOnlyForUser }: LoadedSkill,
  line: SlashLine,
): ExpandedCommand | null {
  const call = JSON.stringify({ skill: name, ...(line.rest !== '' && { args: line.rest }) })
  const text =
    fork !== undefined
      ? `this: an agent of its own carries out the skill ${name}. Call Skill once with ${call}, and say what it reports. Do not do the work yourself.`
      : model !== undefined && !isOnlyForUser
        ? `this: call Skill once with ${call}, and follow the skill that it returns.`
        : null
  return text === null ? null : { name, text: commandFrame(line, text).trimEnd() }
}

/** Arguments by position; the last one takes the rest of the line. */
export async function expandPrompt(
  prompt: McpPrompt,
  line: SlashLine,
  get: (args: Readonly<Record<string, string>>) => Promise<Result<string>>,
): Promise<Expanded> {
  const words = splitArguments(line.rest)
  const names = prompt.arguments.map(({ name }) => name)
  const last = names.length - 1
  const args = Object.fromEntries(
    names.flatMap((name, index) => {
      const value = index === last ? words.slice(index).join(' ') : (words[index] ?? '')
      return value === '' ? [] : [[name, value]]
    }),
  )
  const missing = prompt.arguments.filter(({ name, required }) => required && args[name] === undefined)
  if (missing.length > 0)
    return fail({
      type: 'arguments',
      message: `/${line.name} needs ${missing.map(({ name }) => name).join(' and ')}. Usage: /${line.name} ${prompt.arguments.map(({ name, required }) => (required ? `<${name}>` : `[${name}]`)).join(' ')}`,
    })
  if (names.length === 0 && words.length > 0)
    return fail({ type: 'arguments', message: `/${line.name} takes no arguments.` })
  const found = await get(args)
  if (!found.ok)
    return fail({ type: 'failed', message: `The MCP server ${prompt.server}: ${found.failure.message}` })
  const frame = commandFrame(line, `the prompt that the MCP server ${prompt.server} gives for it:`)
  return ok({ name: line.name, text: `${frame}${found.value}` })
}

/** Text from outside between tags; the text can't close its tag. */
export function inTag(tag: string, attributes: string, text: string): string {
  const inside = text.replaceAll(new RegExp(`</(?=${tag}\\b)`, 'gi'), '<\\/')
  return `<${tag} ${attributes}>\n${inside}\n</${tag}>`
}
