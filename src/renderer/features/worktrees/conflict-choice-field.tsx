/** The choice for one conflict: a side, both, or an edited text. */
import { useEffect, useId, useRef } from 'react'
import { Segmented } from '../../ui/segmented.tsx'
import { INPUT_CLASS } from '../../ui/text-field.tsx'
import { type ConflictChoice, hasMarkers } from './conflict-resolution.ts'

interface ConflictChoiceFieldProps {
  readonly label: string
  readonly sides: readonly [string, string]
  readonly choice: ConflictChoice | null
  /** The texts of both sides. Null: the sides can't be mixed. */
  readonly texts: readonly [string, string] | null
  /** What was typed for this conflict before another side was chosen; null: nothing. */
  readonly typed: string | null
  readonly onChoose: (choice: ConflictChoice) => void
}

export function ConflictChoiceField({
  label,
  sides,
  choice,
  texts,
  typed,
  onChoose,
}: ConflictChoiceFieldProps) {
  const id = useId()
  const edited = choice !== null && typeof choice !== 'string' ? choice.text : null
  const choose = (value: 'ours' | 'theirs' | 'both' | 'edit') =>
    onChoose(
      value === 'edit'
        ? { text: edited ?? typed ?? startText(choice, texts), isTyped: (edited ?? typed) !== null }
        : value,
    )
  const marked = edited !== null && hasMarkers(edited)
  const field = useRef<HTMLTextAreaElement>(null)
  const isEdited = edited !== null
  const wasEdited = useRef(isEdited)
  // What is typed next belongs into the text: on the buttons, letters are commands.
  useEffect(() => {
    if (isEdited && !wasEdited.current) field.current?.focus()
    wasEdited.current = isEdited
  }, [isEdited])
  return (
    <div data-conflict="" className="grid w-full justify-items-start gap-2 bg-bg-1 px-3 py-1.5">
      <Segmented
        label={label}
        value={edited !== null ? 'edit' : typeof choice === 'string' ? choice : ''}
        options={[
          { value: 'ours', label: sides[0] },
          { value: 'theirs', label: sides[1] },
          ...(texts === null
            ? []
            : [
                { value: 'both' as const, label: 'Both' },
                { value: 'edit' as const, label: 'Edit' },
              ]),
        ]}
        onChange={(value) => value !== '' && choose(value)}
        className="max-w-full flex-wrap"
      />
      {edited !== null && (
        <textarea
          ref={field}
          aria-label={`Text for ${label.charAt(0).toLowerCase()}${label.slice(1)}`}
          aria-invalid={marked}
          aria-describedby={marked ? id : undefined}
          dir="ltr"
          spellCheck={false}
          rows={Math.min(16, Math.max(3, edited.split('\n').length))}
          value={edited}
          onChange={(event) => onChoose({ text: event.target.value, isTyped: true })}
          className={`${INPUT_CLASS} w-full resize-y py-1.5 font-mono text-xs`}
        />
      )}
      {marked && (
        <p id={id} role="alert" className="text-bad text-sm">
          Conflict markers are left. Remove the lines that begin with {'<<<<<<<'} or {'>>>>>>>'}.
        </p>
      )}
    </div>
  )
}

/** The text that editing begins with: the chosen side, or both. */
function startText(choice: ConflictChoice | null, texts: readonly [string, string] | null): string {
  if (texts === null) return ''
  const [ours, theirs] = texts
  if (choice === 'ours') return ours
  if (choice === 'theirs') return theirs
  return [ours, theirs].filter((text) => text !== '').join('\n')
}
