/** The permission mode. */
import type { AgentDefinition } from '../../../../shared/agent-definition/agent-definition.ts'
import { modeWithoutEffect } from '../../../../shared/permissions/permission-modes.ts'
import { useSession } from '../../../stores/session-store.ts'
import { MenuChoice } from '../../../ui/menu.tsx'
import { modeLabel } from '../../../ui/text/permission-modes.ts'
import { ChoiceField, MoreChoices } from './choice-field.tsx'
import { useForm } from './form-context.ts'

type Mode = NonNullable<AgentDefinition['permissionMode']>

const OPTIONS: readonly { readonly value: Mode | 'parent'; readonly label: string }[] = [
  { value: 'default', label: 'ask' },
  { value: 'acceptEdits', label: 'accept edits' },
  { value: 'dontAsk', label: 'don’t ask' },
  { value: 'plan', label: 'plan' },
]

const RARE: readonly {
  readonly value: Mode | 'parent'
  readonly label: string
  readonly hint: string
  readonly danger?: boolean
}[] = [
  { value: 'parent', label: 'inherit', hint: 'Uses the parent’s mode. The key is removed.' },
  { value: 'bubble', label: 'bubble', hint: 'Asks from the background too.' },
  {
    value: 'bypassPermissions',
    label: 'bypass permissions',
    hint: 'Nothing asks for permission, if the parent bypasses too.',
    danger: true,
  },
]

const HINTS: Partial<Record<Mode, string>> = {
  bubble: 'Asks before edits, from the background too.',
  bypassPermissions: 'Nothing asks for permission. Only if the parent bypasses too.',
}

export function PermissionField({ className }: { readonly className?: string }) {
  const { definition, problemsOf, set } = useForm()
  const mode = definition.permissionMode
  const rare = RARE.find(({ value }) => value === mode)
  const isWrong = problemsOf('permissionMode').length > 0
  const choose = (value: Mode | 'parent') => set('permissionMode', value === 'parent' ? null : value)
  const userMode = useSession((state) => state.settings.permissionMode)
  const isIdle = modeWithoutEffect(mode, { most: userMode, owner: 'user' }) !== null
  const hint = isIdle
    ? `No effect: allows more than your mode, ${modeLabel(userMode)}.`
    : mode === null
      ? undefined
      : HINTS[mode]
  return (
    <ChoiceField
      label="Permissions"
      field="permissionMode"
      value={mode ?? 'parent'}
      options={OPTIONS}
      onChange={choose}
      {...(mode === null && !isWrong ? { note: 'inherit' } : {})}
      {...(hint === undefined
        ? {}
        : {
            hint: <span className={mode === 'bypassPermissions' ? 'text-needs-you' : undefined}>{hint}</span>,
          })}
      {...(className === undefined ? {} : { className })}
      more={
        <MoreChoices label="Other permission modes" chosen={rare?.label ?? null}>
          <MenuChoice value={isWrong ? ('' as Mode) : (mode ?? 'parent')} options={RARE} onChange={choose} />
        </MoreChoices>
      }
    />
  )
}
