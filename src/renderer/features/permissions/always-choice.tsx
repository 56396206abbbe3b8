/** The rules that "Always allow" can add, the exact one first, each with what else it covers. */
import { useId } from 'react'
import { useConversation } from '../../stores/conversation-store.ts'
import { Kbd } from '../../ui/kbd.tsx'
import { classNames } from '../../ui/text/class-names.ts'
import { CommandText } from '../../ui/text/command-text.tsx'
import { VisibleText } from '../../ui/text/visible-text.tsx'
import { folderName } from './folder-name.ts'

interface AlwaysOption {
  /** The rule, or several: "Exactly these 8 rules". */
  readonly texts: readonly string[]
  readonly alsoCovers: string | null
}

interface AlwaysChoiceProps {
  readonly options: readonly AlwaysOption[]
  readonly chosen: number
  readonly onChoose: (index: number) => void
}

export function AlwaysChoice({ options, chosen, onChoose }: AlwaysChoiceProps) {
  const folder = useConversation((state) => state.record?.folder ?? null)
  const name = useId()
  return (
    <div role="radiogroup" aria-labelledby={`${name}-title`} className="mt-2 min-w-0 shrink-0">
      <p id={`${name}-title`} className="mb-1 text-fg-2 text-xs">
        Always, from now on{folder === null ? '' : ` in ${folderName(folder)}`}
      </p>
      <div className="overflow-hidden rounded-[6px] border border-line">
        {options.map(({ texts, alsoCovers }, index) => (
          <label
            key={texts.join('\n')}
            className={classNames(
              'grid cursor-pointer grid-cols-[14px_minmax(0,1fr)_auto] items-baseline gap-x-2.5 px-2.5 py-1 text-sm has-focus-visible:outline-1 has-focus-visible:-outline-offset-1 has-focus-visible:outline-accent',
              index > 0 && 'border-line border-t',
              index === chosen ? 'bg-bg-2' : 'hover:bg-bg-2',
            )}
          >
            <input
              type="radio"
              name={name}
              checked={index === chosen}
              onChange={() => onChoose(index)}
              className="translate-y-0.5 accent-fg-1 outline-none"
            />
            <span className="min-w-0">
              <code
                className="font-mono text-fg-0 text-xs wrap-anywhere"
                title={texts.length > 1 ? texts.join('\n') : undefined}
              >
                {texts.length > 1 ? (
                  `Exactly these: ${texts.length} rules`
                ) : (
                  <CommandText>{texts[0] ?? ''}</CommandText>
                )}
              </code>
              <span className="block text-fg-2 text-xs">
                {alsoCovers === null ? (
                  'Covers nothing else.'
                ) : (
                  <>
                    Also covers <VisibleText>{alsoCovers}</VisibleText>.
                  </>
                )}
              </span>
            </span>
            {options.length > 1 && index < 9 && <Kbd keys={String(index + 1)} />}
          </label>
        ))}
      </div>
    </div>
  )
}
