/** What is asked and what is not. */
import type { AgentDefinition } from '../../../../shared/agent-definition/agent-definition.ts'
import { MenuChoice } from '../../../ui/menu.tsx'
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
  { value: 'parent', label: 'as its parent', hint: 'The line is left out of the file.' },
  { value: 'bubble', label: 'bubble', hint: 'What needs a word is asked where its parent asks.' },
  {
    value: 'bypassPermissions',
    label: 'bypass permissions',
    hint: 'Everything runs unasked, where its parent may do that too.',
    danger: true,
  },
]

const HINTS: Partial<Record<Mode, string>> = {
  bubble: 'Never more than its parent has: what needs a word is asked where its parent asks.',
  bypassPermissions:
    'Everything runs unasked. It never has more than its parent: unless that bypasses too, this does nothing.',
}

export function PermissionField({ className }: { readonly className?: string }) {
  const { definition, problemsOf, set } = useForm()
  const mode = definition.permissionMode
  const rare = RARE.find(({ value }) => value === mode)
  const isWrong = problemsOf('permissionMode').length > 0
  const choose = (value: Mode | 'parent') => set('permissionMode', value === 'parent' ? null : value)
  const hint = mode === null ? undefined : HINTS[mode]
  return (
    <ChoiceField
      label="Permissions"
      field="permissionMode"
      value={mode ?? 'parent'}
      options={OPTIONS}
      onChange={choose}
      {...(mode === null && !isWrong ? { note: 'as its parent' } : {})}
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
