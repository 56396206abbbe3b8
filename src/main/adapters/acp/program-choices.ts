/** The answers to a permission request as its program offers them. */
import type { PermissionOption } from '@agentclientprotocol/sdk'
import type { ProgramChoice } from '../../../shared/program-choice.ts'
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
  return known
    .filter((option) => {
      const kind = kindOf(option)
      return kind === 'always' || (kind === 'once' ? isAmbiguous : several('deny'))
    })
    .map((option) => ({ id: option.optionId, name: shortText(option.name), kind: kindOf(option) }))
}
