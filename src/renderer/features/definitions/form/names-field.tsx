/** A list of names as chips, which are removed by a click and added from a menu or by typing. */
import { Plus, X } from 'lucide-react'
import { Fragment, type ReactNode, useState } from 'react'
import type { FieldKey } from '../../../../shared/agent-definition/definition-fields.ts'
import { nearestName } from '../../../../shared/tools/nearest-name.ts'
import { Button } from '../../../ui/button.tsx'
import { Chip, ChipButton } from '../../../ui/chip.tsx'
import { Menu, MenuItem, MenuNote, MenuSeparator } from '../../../ui/menu.tsx'
import { Tooltip } from '../../../ui/popover.tsx'
import { INPUT_CLASS } from '../../../ui/text-field.tsx'
import { ChipName, type ChipProblem, ChipSuggestion, Field, useKeptFocus } from './field.tsx'
import { useForm } from './form-context.ts'

interface NamesFieldProps {
  readonly label: string
  readonly field: FieldKey
  /** "skill", for the button and its menu. */
  readonly noun: string
  readonly names: readonly string[]
  /** The known names with their help; null: any name is valid. */
  readonly known: readonly { readonly name: string; readonly help: string }[] | null
  /** The problem of a name, apart from its form. */
  readonly problemOf?: (name: string) => ChipProblem | null
  /** The error of a name, typed or in the text. */
  readonly check: (name: string) => string | null
  readonly onChange: (names: readonly string[]) => void
  readonly note?: ReactNode
  readonly hint?: ReactNode
  /** Makes the list read-only. */
  readonly isFixed?: boolean
  /** Inside, before the button. */
  readonly children?: ReactNode
}

export function NamesField(props: NamesFieldProps) {
  const { label, field, noun, names, known, problemOf, check, onChange, isFixed, children, ...frame } = props
  const form = useForm()
  const readOnly = form.readOnly || isFixed === true
  const { group, keepFocus } = useKeptFocus()
  const [isTyping, setTyping] = useState(false)
  const others = known?.filter(({ name }) => !names.includes(name)) ?? []
  const add = (name: string) => {
    if (!names.includes(name)) onChange([...names, name])
  }
  return (
    <Field label={label} keys={[field]} {...frame}>
      {({ labelId, describedBy }) => (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset has its own style and legend
        <div
          ref={group}
          role="group"
          tabIndex={-1}
          aria-labelledby={labelId}
          aria-describedby={describedBy}
          className="flex min-h-[2.125rem] flex-wrap items-center gap-1.5 rounded-md border border-line-strong bg-bg-0 px-2.5 py-[5px] outline-none"
        >
          {names.map((name) => {
            const error = check(name)
            const problem: ChipProblem | null =
              error === null ? (problemOf?.(name) ?? null) : { tone: 'bad', message: error, suggestion: null }
            return (
              <Fragment key={name}>
                <NameChip
                  name={name}
                  problem={problem}
                  help={known?.find((each) => each.name === name)?.help ?? ''}
                  readOnly={readOnly}
                  onRemove={() => {
                    keepFocus()
                    onChange(names.filter((each) => each !== name))
                  }}
                />
                {!readOnly && <ChipSuggestion name={name} problem={problem} onReplace={keepFocus} />}
              </Fragment>
            )
          })}
          {children}
          {!readOnly && !isTyping && known !== null && (
            <Menu trigger={<AddButton noun={noun} />}>
              {others.map(({ name, help }) => (
                <MenuItem key={name} onSelect={() => add(name)}>
                  {name}
                  {help !== '' && <span className="pl-2 text-fg-2 text-xs">{help}</span>}
                </MenuItem>
              ))}
              {others.length === 0 && (
                <MenuNote>{known.length === 0 ? `No ${noun} available.` : `No other ${noun}.`}</MenuNote>
              )}
              <MenuSeparator />
              <MenuItem onSelect={() => setTyping(true)}>Other name…</MenuItem>
            </Menu>
          )}
          {!readOnly && !isTyping && known === null && (
            <AddButton noun={noun} onClick={() => setTyping(true)} />
          )}
          {isTyping && <NewName noun={noun} check={check} onAdd={add} onEnd={() => setTyping(false)} />}
        </div>
      )}
    </Field>
  )
}

function AddButton({ noun, ...rest }: { readonly noun: string; readonly onClick?: () => void }) {
  return (
    <ChipButton {...rest} icon={Plus} aria-label={`Add ${noun}`}>
      {noun}
    </ChipButton>
  )
}

interface NameChipProps {
  readonly name: string
  readonly problem: ChipProblem | null
  readonly help: string
  readonly readOnly: boolean
  readonly onRemove: () => void
}

function NameChip({ name, problem, help, readOnly, onRemove }: NameChipProps) {
  const label = problem === null ? name : `${name}. ${problem.message}`
  return (
    <Tooltip text={problem?.message ?? (help === '' ? name : help)}>
      <ChipButton
        tone={problem?.tone ?? 'plain'}
        aria-label={readOnly ? label : `Remove ${label}`}
        aria-disabled={readOnly || undefined}
        onClick={() => !readOnly && onRemove()}
        onKeyDown={(event) => {
          if (readOnly || (event.key !== 'Delete' && event.key !== 'Backspace')) return
          event.preventDefault()
          onRemove()
        }}
        className="max-w-full"
      >
        <span className="truncate">
          <ChipName name={name} problem={problem} />
        </span>
        {!readOnly && <X size={11} aria-hidden="true" className="shrink-0" />}
      </ChipButton>
    </Tooltip>
  )
}

interface NewNameProps {
  readonly noun: string
  readonly check: (name: string) => string | null
  readonly onAdd: (name: string) => void
  readonly onEnd: () => void
}

function NewName({ noun, check, onAdd, onEnd }: NewNameProps) {
  const [typed, setTyped] = useState('')
  const name = typed.trim()
  const error = name === '' ? null : check(name)
  const take = () => {
    if (name !== '' && error !== null) return
    if (name !== '') onAdd(name)
    onEnd()
  }
  return (
    <span className="flex min-w-0 flex-wrap items-center gap-1.5">
      <input
        aria-label={`New ${noun}`}
        data-own-undo
        autoComplete="off"
        spellCheck={false}
        // biome-ignore lint/a11y/noAutofocus: the user opened the field
        autoFocus
        value={typed}
        aria-invalid={error !== null || undefined}
        onChange={(event) => setTyped(event.target.value)}
        onBlur={take}
        onKeyDown={(event) => {
          if (event.key === 'Enter') take()
          if (event.key !== 'Escape') return
          event.stopPropagation()
          onEnd()
        }}
        className={`${INPUT_CLASS} h-[1.375rem] w-40! px-2 text-sm!`}
      />
      {error !== null && (
        <span aria-live="polite" className="text-bad text-sm">
          {error}
        </span>
      )}
      {error !== null && (
        <Button className="h-5 px-2 text-xs" onClick={onEnd}>
          Discard
        </Button>
      )}
    </span>
  )
}

/** The MCP servers of an agent, by name. Inline server configurations are edited in the source. */
export function ServersField() {
  const { definition, keyOf, readOnly, reveal, set, surroundings } = useForm()
  const { mcpServers } = definition
  const key = keyOf('mcpServers')
  const names = (mcpServers ?? []).filter((server) => typeof server === 'string')
  const inline = (mcpServers ?? []).flatMap((server) =>
    typeof server === 'string' ? [] : Object.keys(server),
  )
  if (inline.length > 0 && key !== null)
    return (
      <NamesField
        {...FIELD}
        names={[]}
        known={[]}
        onChange={() => {}}
        isFixed
        hint="Edit inline servers in the source."
      >
        {[...names, ...inline].map((name) => (
          <Chip key={name}>{name}</Chip>
        ))}
        <Button variant="quiet" onClick={() => reveal(key)}>
          Line {key.line}
        </Button>
      </NamesField>
    )
  const { servers } = surroundings.catalog
  const problemOf = (name: string): ChipProblem | null => {
    if (servers.includes(name)) return null
    const nearest = nearestName(name, servers)
    if (nearest === null) return { tone: 'needs-you', message: 'Not connected.', suggestion: null }
    const apply = () => set('mcpServers', [...new Set(names.map((each) => (each === name ? nearest : each)))])
    const message = `Not connected. Did you mean ${nearest}?`
    return { tone: 'bad', message, suggestion: { name: nearest, apply } }
  }
  return (
    <NamesField
      {...FIELD}
      names={names}
      known={servers.map((name) => ({ name, help: '' }))}
      problemOf={problemOf}
      note={mcpServers === null ? 'all connected' : names.length === 0 ? 'none' : undefined}
      // An empty list means no servers; a missing key means all connected servers.
      onChange={(next) => set('mcpServers', next)}
    >
      {mcpServers !== null && !readOnly && (
        <Button variant="quiet" className="h-5 px-1.5 text-xs" onClick={() => set('mcpServers', null)}>
          All connected
        </Button>
      )}
    </NamesField>
  )
}

const FIELD = {
  label: 'MCP servers',
  field: 'mcpServers',
  noun: 'server',
  check: (name: string) =>
    /[\s,:]/.test(name) ? 'A server name can’t contain spaces, commas or colons.' : null,
} as const
