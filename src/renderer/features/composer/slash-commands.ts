/** The commands of the composer: a `/` at the start of the text. */

export interface SlashCommand {
  readonly name: string
  readonly hint: string
  /** The meaning of the argument; absent for commands without one. */
  readonly argument?: string
}

export const SLASH_COMMANDS = [
  { name: 'clear', hint: 'Start a new conversation; this one stays in the list' },
  { name: 'model', hint: 'Choose the model of this conversation', argument: 'model' },
  { name: 'mode', hint: 'Choose the permission mode', argument: 'mode' },
  { name: 'coordinator', hint: 'Turn coordinator mode on or off' },
  { name: 'cost', hint: 'Usage of this conversation by agent' },
  { name: 'stop', hint: 'Stop all agents of this conversation' },
  { name: 'help', hint: 'Keys and commands' },
] as const satisfies readonly SlashCommand[]

export type SlashCommandName = (typeof SLASH_COMMANDS)[number]['name']

export type ParsedCommand =
  | { readonly kind: 'command'; readonly name: SlashCommandName; readonly argument: string }
  /** The text looks like a command, but no command has the name. */
  | { readonly kind: 'unknown'; readonly name: string }
  | { readonly kind: 'message' }

/** Reads a text as a command. A path ("/usr/bin is full") and a text that begins with a space are messages. */
export function parseCommand(text: string): ParsedCommand {
  const match = /^\/([A-Za-z][A-Za-z-]*)(?:\s+([\s\S]*))?$/.exec(text.trimEnd())
  if (match === null) return { kind: 'message' }
  const name = (match[1] ?? '').toLowerCase()
  const known = SLASH_COMMANDS.find((command) => command.name === name)
  if (known === undefined) return { kind: 'unknown', name }
  return { kind: 'command', name: known.name, argument: (match[2] ?? '').trim() }
}
