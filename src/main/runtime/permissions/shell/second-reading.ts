/**
 * A second reading of a command line by another parser. A command whose two readings differ is not understood: one of
 * them is wrong about what runs.
 */
import { forEachChild, parse, type Redirection, type SyntaxNode } from 'unbash'
import type { ShellGroup, ShellList, ShellRedirect, SimpleCommand } from './shell-syntax.ts'

/** Whether the other parser finds the same commands with the same words, assignments and redirects. */
export function readsTheSame(source: string, list: ShellList): boolean {
  const script = parse(source)
  if (script.errors !== undefined && script.errors.length > 0) return false
  const [ours, others]: [string[], string[]] = [[], []]
  addList(list, ours)
  addOthers(script, others)
  ours.sort()
  others.sort()
  return ours.length === others.length && ours.every((each, at) => each === others[at])
}

/** A command, a group with redirects or the head of a loop, as text to compare. */
function keyOf(
  words: readonly string[],
  { assignments = [], redirects = [] }: { assignments?: readonly string[]; redirects?: readonly string[] },
): string {
  return JSON.stringify([assignments, words, redirects])
}

// ---- our reading ---------------------------------------------------------------------------------

function addList(list: ShellList, found: string[]): void {
  for (const { commands } of list)
    for (const [index, command] of commands.entries()) addCommand(command, index === 0, found)
}

function addCommand(command: SimpleCommand | ShellGroup, isFirst: boolean, found: string[]): void {
  for (const list of command.inner) addList(list, found)
  if (command.kind === 'group') addList(command.body, found)
  const redirects = command.redirects.map(redirectText)
  if (command.kind === 'group') {
    if (redirects.length > 0) found.push(keyOf([], { redirects }))
    if (command.loop && command.loop.variable !== null)
      found.push(keyOf(['for', command.loop.variable, ...command.loop.values.map(({ text }) => text)], {}))
    return
  }
  const texts = command.words.map(({ text }) => text)
  // At the start of a pipeline, `time` and `!` are parts of the pipeline to the other parser.
  const start = isFirst && texts[0] === 'time' ? texts.findIndex((text) => !/^(time|-p|--|!)$/.test(text)) : 0
  const words = start < 0 ? [] : texts.slice(start)
  if (words[0] === '[[') return
  found.push(keyOf(words, { assignments: command.assignments.map(({ text }) => text), redirects }))
}

const redirectText = ({ operator, target }: ShellRedirect): string => `${operator} ${target?.text ?? ''}`

// ---- the other reading ---------------------------------------------------------------------------

function addOthers(node: SyntaxNode, found: string[]): void {
  if (node.type === 'Command') {
    const { name, prefix, args, redirects } = node
    found.push(
      keyOf([...(name ? [name.text] : []), ...args.map(({ text }) => text)], {
        assignments: prefix.flatMap((part) => (part.type === 'Assignment' ? [part.text] : [])),
        redirects: redirects.map(otherRedirect),
      }),
    )
  } else if (node.type === 'Redirected')
    found.push(keyOf([], { redirects: node.redirects.map(otherRedirect) }))
  else if (node.type === 'For')
    found.push(keyOf(['for', node.name.text, ...(node.wordlist ?? []).map(({ text }) => text)], {}))
  forEachChild(node, (child) => addOthers(child, found))
}

function otherRedirect(redirect: Redirection): string {
  return redirect.type === 'HereDoc' ? '<< ' : `${redirect.operator} ${redirect.target?.text ?? ''}`
}
