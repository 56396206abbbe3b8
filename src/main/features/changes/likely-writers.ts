/**
 * Which of several commands that ran at once in a folder wrote a file. The file system does not tell, and the sandbox
 * gives them all the same folder, so this goes by what the commands say, then by whose file it was.
 */
import { basename } from 'node:path'

interface Command {
  readonly agentId: string
  /** What the agent ran. Empty: not known. */
  readonly text: string
}

/**
 * @param file.last the agent that wrote the file last; null: nobody knows
 * @returns the agents whose command it may have been, at least one
 */
export function likelyWriters(
  commands: readonly Command[],
  { path, last }: { readonly path: string; readonly last: string | null },
): Set<string> {
  const all = new Set(commands.map(({ agentId }) => agentId))
  if (all.size === 1) return all
  const naming = commands.filter(({ text }) => namesFile(text, path)).map(({ agentId }) => agentId)
  if (naming.length > 0) return new Set(naming)
  return last !== null && all.has(last) ? new Set([last]) : all
}

/** Whether the file's name stands by itself in a command. */
function namesFile(text: string, path: string): boolean {
  const name = basename(path)
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + 1)) {
    const around = [text[at - 1] ?? ' ', text[at + name.length] ?? ' ']
    if (!around.some((char) => /[\w.-]/.test(char))) return true
  }
  return false
}
