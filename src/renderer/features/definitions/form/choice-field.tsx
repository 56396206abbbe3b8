/** A choice between a few options, with a menu for rare options. */
import { type ReactNode, useState } from 'react'
import type { AgentDefinition } from '../../../../shared/agent-definition/agent-definition.ts'
import { type FieldKey, modelAliases } from '../../../../shared/agent-definition/definition-fields.ts'
import { modeWithoutEffect } from '../../../../shared/permissions/permission-modes.ts'
import { useSession } from '../../../stores/session-store.ts'
import { Menu, MenuChoice, MenuItem, MenuNote, MenuSeparator } from '../../../ui/menu.tsx'
import { Segmented } from '../../../ui/segmented.tsx'
import { classNames } from '../../../ui/text/class-names.ts'
import { modeLabel } from '../../../ui/text/permission-modes.ts'
import { INPUT_CLASS } from '../../../ui/text-field.tsx'
import { Field, useTextField } from './field.tsx'
import { defaultValue, useForm } from './form-context.ts'
import { typingProps } from './text-fields.tsx'

interface ChoiceFieldProps<T extends string> {
  readonly label: string
  readonly field: FieldKey
  readonly value: T
  readonly options: readonly { readonly value: T; readonly label: string }[]
  readonly onChange: (value: T) => void
  readonly note?: ReactNode
  readonly hint?: ReactNode
  readonly more?: ReactNode
  readonly className?: string
  /** Below the options. */
  readonly children?: ReactNode
}

/** For an invalid value no option is selected, and the problem below names the value. */
export function ChoiceField<T extends string>(props: ChoiceFieldProps<T>) {
  const { label, field, value, options, onChange, more, children, ...frame } = props
  const { keyOf, readOnly, problemsOf } = useForm()
  const isWrong = problemsOf(field).some(({ code }) => code === `bad-${field}`)
  return (
    <Field
      label={label}
      keys={[field]}
      {...frame}
      {...(isWrong ? { note: `in the file: ${keyOf(field)?.written ?? ''}` } : {})}
    >
      {({ describedBy }) => (
        <>
          <Segmented
            label={label}
            // The empty value matches no option.
            value={isWrong ? ('' as T) : value}
            options={options}
            onChange={onChange}
            readOnly={readOnly}
            describedBy={describedBy}
            more={more}
            className="self-start"
          />
          {children}
        </>
      )}
    </Field>
  )
}

interface MoreChoicesProps {
  readonly label: string
  /** The option chosen in the menu; null when another one is chosen. */
  readonly chosen: string | null
  readonly children: ReactNode
}

/** The last segment: "…", or the option chosen in the menu. */
function MoreChoices({ label, chosen, children }: MoreChoicesProps) {
  const { readOnly } = useForm()
  return (
    <Menu
      align="end"
      trigger={
        <button
          type="button"
          disabled={readOnly}
          aria-label={chosen === null ? label : `${label}: ${chosen}`}
          className={classNames(
            'max-w-52 truncate border-line border-l px-2 text-sm leading-[22px] focus-visible:-outline-offset-2 enabled:hover:text-fg-0 data-[popup-open]:bg-bg-3',
            chosen === null ? 'text-fg-2' : 'bg-bg-3 text-fg-0',
          )}
        >
          {chosen ?? '…'}
        </button>
      }
    >
      {children}
    </Menu>
  )
}

/** The model: an alias or a model id. */
const COMMON = ['inherit', 'haiku', 'sonnet', 'opus'] as const
const COMMON_OPTIONS = COMMON.map((value) => ({ value: value as string, label: value }))

export function ModelField({ className }: { readonly className?: string }) {
  const form = useForm()
  const { definition, surroundings, set } = form
  const { model } = definition
  const [isTyping, setTyping] = useState(false)
  const isCommon = COMMON.some((value) => value === model)
  const isAlias = modelAliases.some((alias) => alias === model)
  const isKnown = isAlias || surroundings.models.some(({ id }) => id === model)
  const choose = (value: string) => {
    setTyping(false)
    set('model', value === 'inherit' ? defaultValue(form, 'model', 'inherit') : value)
  }
  return (
    <ChoiceField
      label="Model"
      field="model"
      value={isTyping ? '' : model}
      options={COMMON_OPTIONS}
      onChange={choose}
      {...(className === undefined ? {} : { className })}
      {...(definition.forkContext
        ? { hint: 'Ignored: an agent with its parent’s conversation uses its parent’s model.' }
        : {})}
      more={
        <MoreChoices label="Other models" chosen={isCommon ? null : model}>
          <MenuChoice
            value={isTyping ? '' : model}
            options={[
              { value: 'fable', label: 'fable' },
              ...surroundings.models.map(({ id, name }) => ({ value: id, label: id, hint: name })),
            ]}
            onChange={choose}
          />
          {surroundings.models.length === 0 && <MenuNote>Models not loaded yet.</MenuNote>}
          <MenuSeparator />
          <MenuItem onSelect={() => setTyping(true)}>Other id…</MenuItem>
        </MoreChoices>
      }
    >
      {(isTyping || !isKnown) && <ModelId isNew={isTyping} onLeave={() => setTyping(false)} />}
    </ChoiceField>
  )
}

function ModelId({ isNew, onLeave }: { readonly isNew: boolean; readonly onLeave: () => void }) {
  const { definition, readOnly } = useForm()
  const isAlias = modelAliases.some((alias) => alias === definition.model)
  const draft = useTextField({
    field: 'model',
    value: isAlias ? '' : definition.model,
    check: (typed) => (/\s/.test(typed.trim()) ? 'A model id can’t contain spaces.' : null),
  })
  const typing = typingProps(draft)
  return (
    <>
      <input
        aria-label="Model id"
        autoComplete="off"
        spellCheck={false}
        readOnly={readOnly}
        placeholder="claude-…"
        aria-invalid={draft.error !== null || undefined}
        // biome-ignore lint/a11y/noAutofocus: the user opened the field
        autoFocus={isNew}
        {...typing}
        onBlur={() => {
          typing.onBlur()
          onLeave()
        }}
        className={`${INPUT_CLASS} h-[1.875rem] font-mono text-sm!`}
      />
      {draft.error !== null && (
        <p aria-live="polite" className="text-bad text-sm">
          {draft.error}
        </p>
      )}
    </>
  )
}

/** The permission mode. */
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
