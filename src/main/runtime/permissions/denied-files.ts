/** Rules that deny files hold for commands too: `Read(secrets/**)` denies `cat secrets/a`. */
import { makeVisible } from '../../../shared/kernel/visible-text.ts'
import { pathBelow } from '../paths/paths.ts'
import { type Concern, locate } from './concern.ts'
import { named } from './decide-file.ts'
import type { LocatedPath } from './locate-path.ts'
import type { PermissionConcern, PermissionDecision } from './permission-concern.ts'
import { type PermissionRule, ruleForFile, ruleTarget } from './permission-rule.ts'
import { forbiddenByRule } from './refusals.ts'
import type { ShellWord } from './shell/shell-syntax.ts'

/** The rule that denies a file to commands; rules without a pattern deny a tool, not files. */
export function denyingRule(
  { definitionRules }: PermissionConcern,
  file: Pick<LocatedPath, 'real' | 'below'> & Partial<LocatedPath>,
  kinds: readonly ('read' | 'write')[],
): PermissionRule | null {
  for (const target of kinds) {
    const rule = ruleForFile(definitionRules.denied, { target, file, precise: true })
    if (rule) return rule
  }
  return null
}

/** A search of a folder leaves out the files that a rule denies, or asks about. */
export async function withHiddenFiles(
  question: PermissionConcern,
  decision: PermissionDecision,
): Promise<PermissionDecision> {
  const { tool, agent, definitionRules } = question
  const target = ruleTarget(tool, 'read')
  const denied = definitionRules.denied.filter(({ pattern }) => pattern !== null)
  if (decision.kind === 'deny' || target !== 'search' || denied.length === 0) return decision
  const root = await question.realPath(agent.root)
  const top = root.ok ? root.value : agent.root
  const hides = (real: string) =>
    ruleForFile(denied, { target, file: { real, below: pathBelow(top, real) } }) !== null
  return { ...decision, hides }
}

/** A word of the command that names a denied file, whatever the command does with it. */
export async function deniedWords(
  question: PermissionConcern,
  words: readonly ShellWord[],
  { folder, kinds }: { readonly folder: string; readonly kinds: readonly ('read' | 'write')[] },
): Promise<readonly Concern[]> {
  if (question.definitionRules.denied.every(({ pattern }) => pattern === null)) return []
  for (const word of words.slice(1)) {
    // `of=secrets/a`, `--file=secrets/a`
    const text = (word.value ?? word.start).replace(/^-*[\w-]+=/, '')
    if (text === '' || text.startsWith('-')) continue
    const concern = deniedFile(question, await locate(question, text, folder), kinds)
    if (concern) return [concern]
  }
  return []
}

export function deniedFile(
  question: PermissionConcern,
  file: LocatedPath | string,
  kinds: readonly ('read' | 'write')[],
): Concern | null {
  if (typeof file === 'string') return null
  const rule = denyingRule(question, file, kinds)
  return rule && { because: `${named(file)}: ${forbiddenByRule(rule)}`, weight: 'denied' }
}

/** Why a recursive search that shows a denied file is denied. */
export function deniedInTree(rule: PermissionRule, shown: string, path: string): Concern {
  return {
    because: `${shown} also reads ${makeVisible(path)}. ${forbiddenByRule(rule)} Leave that file out.`,
    weight: 'denied',
  }
}
