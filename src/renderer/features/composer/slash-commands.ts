/** The built-in commands of the composer: a `/` at the start of the text. */
import { readSlashLine } from '../../../shared/slash/slash-line.ts'

interface BuiltInCommand {
  readonly name: string
  readonly hint: string
  /** The meaning of the argument; absent for commands without one. */
  readonly argument?: string
}

export const SLASH_COMMANDS = [
  { name: 'clear', hint: 'Start a new conversation; this one stays in the list' },
  { name: 'model', hint: 'Choose the model of this conversation', argument: 'model' },
  { name: 'effort', hint: 'Choose how much the model thinks and writes', argument: 'level' },
  { name: 'mode', hint: 'Choose the permission mode', argument: 'mode' },
  { name: 'coordinator', hint: 'Turn coordinator mode on or off' },
  { name: 'best', hint: 'Give one task to several agents and compare the results', argument: 'task' },
  { name: 'compact', hint: 'Replace the conversation so far by a summary', argument: 'what to keep' },
  { name: 'resume', hint: 'Open an earlier conversation', argument: 'words of its title' },
  { name: 'export', hint: 'Export the conversation to a file' },
  { name: 'memory', hint: 'Open the files that agents read as memory' },
  { name: 'cost', hint: 'Usage of this conversation by agent' },
  { name: 'context', hint: 'What fills the context window of the main agent' },
  { name: 'changes', hint: 'Files that agents of this conversation changed' },
  { name: 'agents', hint: 'Open the agent definitions' },
  { name: 'mcp', hint: 'Open the MCP servers in the settings' },
  { name: 'hooks', hint: 'Open the hooks in the settings' },
  { name: 'permissions', hint: 'Open the permission rules in the settings' },
  { name: 'stop', hint: 'Stop all agents of this conversation' },
  { name: 'help', hint: 'Keys and commands' },
] as const satisfies readonly BuiltInCommand[]

export type SlashCommandName = (typeof SLASH_COMMANDS)[number]['name']

/** Commands that mean the window, even if the program of the main agent has one of the same name. */
export const ofTheWindow: ReadonlySet<string> = new Set<SlashCommandName>([
  ...([
    'clear',
    'resume',
    'export',
    'cost',
    'changes',
    'agents',
    'mcp',
    'hooks',
    'permissions',
    'stop',
    'help',
  ] as const),
])

type ParsedCommand =
  | { readonly kind: 'command'; readonly name: SlashCommandName; readonly argument: string }
  /** Not built in: a command file, a skill, a prompt of a server, or unknown. */
  | { readonly kind: 'other'; readonly name: string }
  | { readonly kind: 'message' }

/** Reads a text as a command. A path ("/usr/bin is full") and a text that begins with a space are messages. */
export function parseCommand(text: string): ParsedCommand {
  const line = readSlashLine(text)
  if (line === null) return { kind: 'message' }
  const lower = line.name.toLowerCase()
  const known = SLASH_COMMANDS.find((command) => command.name === lower)
  if (known === undefined) return { kind: 'other', name: line.name }
  return { kind: 'command', name: known.name, argument: line.rest }
}
