/** Rarely used fields, folded unless one of them is set. */
import { ChevronRight } from 'lucide-react'
import { useId, useState } from 'react'
import { type FieldKey, fieldOf } from '../../../../shared/agent-definition/definition-fields.ts'
import { whatIsWrongWithName } from '../../../../shared/agent-definition/read-definition.ts'
import { scanFrontmatter, scanNames } from '../../../../shared/agent-definition/scan-frontmatter.ts'
import { efforts } from '../../../../shared/models/effort.ts'
import { thinkings } from '../../../../shared/models/thinking.ts'
import { Tooltip } from '../../../ui/popover.tsx'
import { Switch } from '../../../ui/switch.tsx'
import { classNames } from '../../../ui/text/class-names.ts'
import { ChoiceField } from './choice-field.tsx'
import { FieldProblem } from './field.tsx'
import { type DefinitionFormState, defaultValue, useForm } from './form-context.ts'
import { HooksField, OtherKeys, otherKeys } from './main-fields.tsx'
import { NamesField, ServersField } from './names-field.tsx'
import { hasProgramField, isProgram } from './program-fields.tsx'
import { ProseField } from './text-fields.tsx'

const FLAGS = [
  ['Read only', 'readOnly'],
  ['Background', 'background'],
  ['One shot', 'oneShot'],
  ['Carry over changes', 'carryOver'],
  ['Skip project instructions', 'omitProjectInstructions'],
  ['Hidden', 'hidden'],
] as const

const KEYS: readonly FieldKey[] = [
  ...FLAGS.map(([, key]) => key),
  'effort',
  'thinking',
  'criticalSystemReminder',
  'initialPrompt',
  'aliases',
  'mcpServers',
  'hooks',
]

const EFFORTS = [
  { value: 'default', label: 'default' },
  ...efforts.map((value) => ({ value: value as string, label: value })),
]

const THINKINGS = [
  { value: 'default', label: 'default' },
  ...thinkings.map((value) => ({ value: value as string, label: value })),
]

export function MoreFields() {
  const form = useForm()
  const { definition, set } = form
  const isOwn = !isProgram(form)
  const flags = FLAGS.filter(([, key]) => isOwn || hasProgramField(form, key))
  const id = useId()
  const count = countSetFields(form)
  const [choice, setChoice] = useState<{ readonly open: boolean; readonly at: number } | null>(null)
  // Setting another field opens a folded section.
  const isOpen = choice !== null && (choice.open || choice.at >= count) ? choice.open : count > 0
  return (
    <section className="flex flex-col gap-[13px] border-line border-t pt-2">
      <button
        type="button"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setChoice({ open: !isOpen, at: count })}
        className="flex h-6 items-center gap-1 self-start rounded-sm pr-1.5 text-fg-1 text-sm hover:text-fg-0"
      >
        <ChevronRight
          size={14}
          aria-hidden="true"
          className={classNames('transition-transform duration-100', isOpen && 'rotate-90')}
        />
        More
        {count > 0 && !isOpen && <span className="text-fg-2">{count} set</span>}
      </button>
      <div id={id} hidden={!isOpen} className="flex flex-col gap-[13px]">
        {isOpen && (
          <>
            <div className="grid grid-cols-[repeat(auto-fit,minmax(10rem,1fr))] gap-x-3.5 gap-y-2">
              {flags.map(([label, key]) => (
                <FlagField key={key} label={label} field={key} value={definition[key]} />
              ))}
            </div>
            <ChoiceField
              label="Effort"
              field="effort"
              value={definition.effort ?? 'default'}
              options={EFFORTS}
              onChange={(value) => set('effort', value === 'default' ? null : value)}
            />
            {isOwn && <PromptFields />}
            <NamesField
              label="Aliases"
              field="aliases"
              noun="alias"
              names={writtenAliases(form)}
              known={null}
              check={whatIsWrongWithName}
              onChange={(names) => set('aliases', names.length === 0 ? null : names)}
            />
            <ServersField />
            {isOwn && <HooksField />}
            <OtherKeys />
          </>
        )}
      </div>
    </section>
  )
}

/** What is added to the prompts of Troupe's own agents. */
function PromptFields() {
  const { definition, set } = useForm()
  return (
    <>
      <ChoiceField
        label="Thinking"
        field="thinking"
        value={definition.thinking ?? 'default'}
        options={THINKINGS}
        onChange={(value) => set('thinking', value === 'default' ? null : value)}
      />
      <ProseField
        label="Reminder"
        field="criticalSystemReminder"
        value={definition.reminder ?? ''}
        note="repeated every turn"
      />
      <ProseField
        label="Initial prompt"
        field="initialPrompt"
        value={definition.initialPrompt ?? ''}
        note="for a main agent"
      />
    </>
  )
}

/** The aliases of the text, with the invalid ones that the definition leaves out. */
function writtenAliases({ definition, problemsOf, head }: DefinitionFormState): readonly string[] {
  if (problemsOf('aliases').length === 0) return definition.aliases
  const field = scanFrontmatter(head)?.fields.find(({ key }) => key === 'aliases')
  return field === undefined
    ? definition.aliases
    : [...new Set(scanNames(head, field).map(({ name }) => name.trim()))].filter(Boolean)
}

function countSetFields(form: DefinitionFormState): number {
  const others = otherKeys(form)
  return form.keys.filter((key) => others.includes(key) || (key.field !== null && KEYS.includes(key.field)))
    .length
}

interface FlagFieldProps {
  readonly label: string
  readonly field: FieldKey
  readonly value: boolean
}

/** A switch for a boolean key. */
function FlagField({ label, field, value }: FlagFieldProps) {
  const form = useForm()
  const help = fieldOf(field)?.help ?? ''
  const problems = form.problemsOf(field)
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <div className="flex items-start gap-2">
        <Switch
          label={label}
          checked={value}
          disabled={form.readOnly}
          onChange={(on) => form.set(field, on ? true : defaultValue(form, field, false))}
        />
        <Tooltip text={help} side="top">
          <span className="min-w-0 text-fg-1 text-sm leading-[18px]">{label}</span>
        </Tooltip>
      </div>
      <div aria-live="polite" className="flex flex-col gap-1 empty:hidden">
        {problems.map((problem) => (
          <FieldProblem key={`${problem.code} ${problem.from}`} problem={problem} fields={[field]} />
        ))}
      </div>
    </div>
  )
}
