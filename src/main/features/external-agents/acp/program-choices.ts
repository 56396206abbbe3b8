/** The answers to a permission request as its program offers them. */
import type { PermissionOption } from '@agentclientprotocol/sdk'
import type { ProgramChoice } from '../../../../shared/external-agents/program-choice.ts'
import { shortText } from './short-text.ts'

const KINDS: Readonly<Record<PermissionOption['kind'], ProgramChoice['kind']>> = {
  allow_once: 'once',
  allow_always: 'always',
  reject_once: 'deny',
  reject_always: 'deny',
}

/**
 * What the user can choose beyond a plain permission and a plain denial. Where the program offers several answers of one
 * kind, their names tell them apart, so all of the kind are choices.
 */
export function choicesOf(options: readonly PermissionOption[]): readonly ProgramChoice[] {
  const known = options.filter(({ kind }) => kind in KINDS)
  const kindOf = (option: PermissionOption) => KINDS[option.kind]
  const several = (kind: ProgramChoice['kind']) =>
    known.filter((option) => kindOf(option) === kind).length > 1
  const isAmbiguous = several('once') || several('always')
  const choices = known
    .filter((option) => {
      const kind = kindOf(option)
      return kind === 'always' || (kind === 'once' ? isAmbiguous : several('deny'))
    })
    .map((option) => ({ id: option.optionId, name: shortText(option.name), kind: kindOf(option) }))
  return withDistinctNames(choices)
}

/** The names of Troupe's own answers in a request. */
const OWN_NAMES = ['allow', 'allow once', 'always allow', 'deny', 'deny…']

/** No two buttons have one name: a name is followed by how long its answer holds, and then by a number. */
function withDistinctNames(choices: readonly ProgramChoice[]): readonly ProgramChoice[] {
  const alike = (name: string) =>
    choices.filter((other) => other.name.trim().toLowerCase() === name.trim().toLowerCase()).length +
    (OWN_NAMES.includes(name.trim().toLowerCase()) ? 1 : 0)
  const taken = new Set(OWN_NAMES)
  return choices.map((choice) => {
    const named = alike(choice.name) > 1 ? `${choice.name} (${LENGTHS[choice.kind]})` : choice.name
    let name = named
    for (let number = 2; taken.has(name.toLowerCase()); number++) name = `${named} (${number})`
    taken.add(name.toLowerCase())
    return { ...choice, name }
  })
}

/** A program keeps an answer that always holds by itself. */
const LENGTHS: Readonly<Record<ProgramChoice['kind'], string>> = {
  once: 'once',
  always: 'kept by the program',
  deny: 'denies',
}
