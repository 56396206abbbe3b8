/** One of eight colors, or any color as `#hex`. */
import { Radio } from '@base-ui/react/radio'
import { RadioGroup } from '@base-ui/react/radio-group'
import { Hash } from 'lucide-react'
import { agentColors, stableColor } from '../../../../shared/agent-definition/agent-color.ts'
import { isKnownColor } from '../../../../shared/agent-definition/read-definition.ts'
import { agentStyle } from '../../../ui/agent-style.ts'
import { Button } from '../../../ui/button.tsx'
import { Popover, Tooltip } from '../../../ui/popover.tsx'
import { classNames } from '../../../ui/text/class-names.ts'
import { INPUT_CLASS } from '../../../ui/text-field.tsx'
import { Field, useFieldWriter } from './field.tsx'
import { useFieldDraft, useForm } from './form-context.ts'
import { typingProps } from './text-fields.tsx'

const SWATCH = 'size-[1.375rem] rounded-[6px] bg-agent'
const CHOSEN = 'outline-2 outline-fg-0 outline-offset-2'

export function ColorField({ className }: { readonly className?: string }) {
  const { definition, readOnly, set } = useForm()
  const { color, name } = definition
  const shown = stableColor(color, name)
  const isHex = color !== null && isKnownColor(color) && color.startsWith('#')
  const isUnknown = color !== null && !isKnownColor(color)
  const named = color?.toLowerCase() ?? ''
  return (
    <Field
      label="Color"
      keys={['color']}
      {...(className === undefined ? {} : { className })}
      {...(color === null ? { note: `${shown}, from its name` } : {})}
      {...(isUnknown
        ? {
            hint: (
              <span className="inline-flex items-center gap-1.5" style={agentStyle(shown)}>
                <span aria-hidden="true" className="size-2 shrink-0 rounded-full bg-agent" />
                Unknown color “{color}”. Shown as {shown}.
              </span>
            ),
          }
        : {})}
    >
      {({ labelId, describedBy }) => (
        <div className="flex min-h-[2.125rem] flex-wrap items-center gap-[5px]">
          <RadioGroup
            aria-labelledby={labelId}
            aria-describedby={describedBy}
            value={agentColors.some((each) => each === named) ? named : ''}
            readOnly={readOnly}
            onValueChange={(next) => set('color', next as string)}
            className="flex flex-wrap gap-[5px]"
          >
            {agentColors.map((each) => (
              <Tooltip key={each} text={each} side="bottom">
                <Radio.Root
                  value={each}
                  aria-label={each}
                  style={agentStyle(each)}
                  className={classNames(
                    SWATCH,
                    'focus-visible:outline-2 focus-visible:outline-accent focus-visible:outline-offset-2',
                    each === named && CHOSEN,
                  )}
                />
              </Tooltip>
            ))}
          </RadioGroup>
          <Popover
            label="Other color"
            side="bottom"
            trigger={
              <button
                type="button"
                disabled={readOnly}
                aria-label={isHex ? `Other color: ${color}` : 'Other color'}
                style={agentStyle(shown)}
                className={classNames(
                  'grid size-[1.375rem] place-items-center rounded-[6px] border border-line text-fg-2 enabled:hover:text-fg-0',
                  isHex && `bg-agent ${CHOSEN}`,
                )}
              >
                {!isHex && <Hash size={12} aria-hidden="true" />}
              </button>
            }
          >
            <HexColor />
          </Popover>
        </div>
      )}
    </Field>
  )
}

function HexColor() {
  const { definition, set } = useForm()
  const write = useFieldWriter('color')
  const color = definition.color ?? ''
  const hex = color.startsWith('#') ? color : ''
  const draft = useFieldDraft({
    value: hex,
    normalize: withHash,
    check: (typed) =>
      typed.trim() === '' ||
      withHash(typed) === hex ||
      /^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/i.test(withHash(typed))
        ? null
        : 'Enter # and three or six hex digits.',
    write: (typed, focus) => write(typed.trim() === '' ? null : withHash(typed), focus),
  })
  return (
    <div className="flex w-56 flex-col gap-2 p-3">
      <input
        aria-label="Hex color"
        autoComplete="off"
        spellCheck={false}
        placeholder="#ff8800"
        aria-invalid={draft.error !== null || undefined}
        aria-describedby="hex-error"
        {...typingProps(draft)}
        className={`${INPUT_CLASS} h-[1.875rem] font-mono text-sm!`}
      />
      <div id="hex-error" aria-live="polite" className="text-bad text-sm empty:hidden">
        {draft.error}
      </div>
      <Button disabled={color === ''} onClick={() => set('color', null)}>
        Remove color
      </Button>
    </div>
  )
}

/** Adds a missing # to hex digits. */
function withHash(typed: string): string {
  const text = typed.trim()
  return /^(?:[0-9a-f]{3}|[0-9a-f]{6})$/i.test(text) ? `#${text}` : text
}
