/** The fields that most definitions use. */
import { type Diagnostic, memoryScopes } from '../../../../shared/agent-definition/agent-definition.ts'
import type { FieldKey } from '../../../../shared/agent-definition/definition-fields.ts'
import { whatIsWrongWithName } from '../../../../shared/agent-definition/read-definition.ts'
import { Button } from '../../../ui/button.tsx'
import { ChoiceField, ModelField, PermissionField } from './choice-field.tsx'
import { ColorField } from './color-field.tsx'
import { Field, problemOfName } from './field.tsx'
import { type DefinitionFormState, defaultValue, useForm } from './form-context.ts'
import { NamesField } from './names-field.tsx'
import { hasProgramField, isProgram, ProgramFields, ProgramModelField } from './program-fields.tsx'
import type { FormKey } from './read-form.ts'
import { CountField, LineField, ProseField } from './text-fields.tsx'
import { ToolsField } from './tools/tools-field.tsx'

/** Side by side where there is room. */
const ROW = 'flex flex-wrap gap-x-3.5 gap-y-[13px]'
const HALF = 'grow basis-[calc(50%-0.4375rem)] min-w-min'

export function MainFields() {
  const form = useForm()
  return (
    <>
      <div className={ROW}>
        <NameField />
        <ColorField className={`${HALF} min-w-[14.9rem]!`} />
      </div>
      <DescriptionField />
      {isProgram(form) ? <FieldsOfProgram /> : <OwnFields />}
    </>
  )
}

/** Tools, permissions, context, memory, turns and skills are the program's own affair. */
function FieldsOfProgram() {
  return (
    <>
      <ProgramFields />
      <div className={ROW}>
        <ProgramModelField className={HALF} />
        <IsolationField />
      </div>
    </>
  )
}

function OwnFields() {
  return (
    <>
      <div className={`${ROW} gap-x-2!`}>
        <ModelField className="min-w-min grow basis-0" />
        <PermissionField className="min-w-min grow basis-0" />
      </div>
      <ToolsField />
      <div className={ROW}>
        <IsolationField />
        <ContextField />
      </div>
      <div className={ROW}>
        <MemoryField />
        <TurnsField />
      </div>
      <SkillsField />
    </>
  )
}

function NameField() {
  const { definition, keyOf, surroundings } = useForm()
  const isNamed = keyOf('name') !== null
  return (
    <LineField
      label="Name"
      field="name"
      value={isNamed ? definition.name : ''}
      placeholder={surroundings.stem}
      check={(typed) => (typed.trim() === '' && !isNamed ? null : whatIsWrongWithName(typed.trim()))}
      {...(isNamed ? {} : { note: 'from the file name' })}
      className={`${HALF} min-w-[11rem]!`}
    />
  )
}

function DescriptionField() {
  const { definition, keyOf, problemsOf } = useForm()
  const isMissing = problemsOf('description').some(({ code }) => code === 'no-description')
  return (
    <ProseField
      label="When to use it"
      field="description"
      value={isMissing ? '' : definition.description}
      note="the main agent chooses by this"
      check={(typed) =>
        typed.trim() === '' && keyOf('name') === null
          ? 'A file without a name needs a description to be an agent.'
          : null
      }
    />
  )
}

const ISOLATIONS = [
  { value: 'shared', label: 'shared folder' },
  { value: 'worktree', label: 'own worktree' },
] as const

function IsolationField() {
  const { definition, set } = useForm()
  return (
    <ChoiceField
      label="Isolation"
      field="isolation"
      value={definition.isolation ?? 'shared'}
      options={ISOLATIONS}
      onChange={(value) => set('isolation', value === 'shared' ? null : value)}
      className={HALF}
    />
  )
}

const CONTEXTS = [
  { value: 'prompt', label: 'prompt only' },
  { value: 'conversation', label: 'whole conversation' },
] as const

function ContextField() {
  const form = useForm()
  const { forkContext } = form.definition
  return (
    <ChoiceField
      label="Context"
      field="forkContext"
      value={forkContext ? 'conversation' : 'prompt'}
      options={CONTEXTS}
      onChange={(value) =>
        form.set('forkContext', value === 'conversation' ? true : defaultValue(form, 'forkContext', false))
      }
      {...(forkContext ? { hint: 'Uses its parent’s model.' } : {})}
      className={HALF}
    />
  )
}

const MEMORIES = ['none', ...memoryScopes].map((value) => ({ value, label: value }))

function MemoryField() {
  const { definition, set } = useForm()
  return (
    <ChoiceField
      label="Memory"
      field="memory"
      value={definition.memory ?? 'none'}
      options={MEMORIES}
      onChange={(value) => set('memory', value === 'none' ? null : value)}
      className={HALF}
    />
  )
}

function TurnsField() {
  const { definition, keyOf, problemsOf } = useForm()
  const isWrong = problemsOf('maxTurns').some(({ code }: Diagnostic) => code === 'bad-maxTurns')
  const written = keyOf('maxTurns')?.written.replace(/^(["'])(.*)\1$/, '$2') ?? ''
  return (
    <CountField
      label="Max turns"
      field="maxTurns"
      value={isWrong ? written : (definition.maxTurns?.toString() ?? '')}
      placeholder="default"
      className={HALF}
    />
  )
}

function SkillsField() {
  const { definition, edit, problemsOf, set, surroundings } = useForm()
  const problems = problemsOf('skills')
  return (
    <NamesField
      label="Skills"
      field="skills"
      noun="skill"
      names={definition.skills}
      known={surroundings.catalog.skills.map(({ name, description }) => ({ name, help: description }))}
      problemOf={(name) => problemOfName(name, problems, edit)}
      check={(name) => (/[,\n]/.test(name) ? 'A skill name can’t contain a comma.' : null)}
      onChange={(names) => set('skills', names.length === 0 ? null : names)}
    />
  )
}

/** Read-only fields: hooks and unknown keys. */
export function HooksField() {
  const { keyOf } = useForm()
  const key = keyOf('hooks')
  return (
    <Field label="Hooks" keys={['hooks']} note={key === null ? 'none; edit in the source' : undefined}>
      {() => key !== null && <Written fields={[key]} isNamed={false} />}
    </Field>
  )
}

/** Keys of programs, in a file without `backing`. */
const PROGRAM_KEYS: ReadonlySet<string> = new Set(['command', 'args', 'env'])

/** Keys that have no field in this form. */
export function otherKeys(form: DefinitionFormState): readonly FormKey[] {
  const isOther = isProgram(form)
    ? (field: FieldKey) => !hasProgramField(form, field)
    : (field: FieldKey) => PROGRAM_KEYS.has(field)
  return form.keys.filter(({ field }) => field === null || isOther(field))
}

export function OtherKeys() {
  const unknown = otherKeys(useForm())
  if (unknown.length === 0) return null
  return (
    <section aria-label="Other keys" className="flex flex-col gap-[5px]">
      <div className="flex items-baseline justify-between gap-3">
        <h3 className="text-fg-2 text-sm">Other keys</h3>
        <span className="font-mono text-fg-2 text-xs">read-only</span>
      </div>
      <Written fields={unknown} isNamed />
    </section>
  )
}

function Written({ fields, isNamed }: { readonly fields: readonly FormKey[]; readonly isNamed: boolean }) {
  const { reveal } = useForm()
  return (
    <div className="flex flex-col divide-y divide-line rounded-md border border-line bg-bg-1">
      {fields.map((field) => (
        <div key={field.from} className="flex items-start gap-2 py-0.5 pr-1 pl-2.5">
          <pre
            data-selectable
            // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
            tabIndex={0}
            className="max-h-40 min-w-0 flex-1 overflow-auto whitespace-pre py-0.5 font-mono text-fg-1 text-xs"
          >
            {isNamed ? `${field.key}: ${field.written}` : field.written}
          </pre>
          <Button
            variant="quiet"
            className="h-5 px-1.5 text-xs"
            aria-label={`Show ${field.key} in the source, line ${field.line}`}
            onClick={() => reveal(field)}
          >
            Line {field.line}
          </Button>
        </div>
      ))}
    </div>
  )
}
