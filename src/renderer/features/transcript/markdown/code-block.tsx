/** A code block in a message: plain at first, colored when the worker answers, with a copy button. */
import { memo, useRef } from 'react'
import colors from '../../../ui/code/code-colors.module.css'
import { type HighlightedLine, tokenKinds } from '../../../ui/code/code-tokens.ts'
import { classNames } from '../../../ui/text/class-names.ts'
import { CopyButton } from '../copy-button.tsx'
import { KeepSelection } from '../selection/keep-selection.tsx'
import styles from './code-block.module.css'
import { useHighlight } from './highlighter.ts'

interface CodeBlockProps {
  readonly code: string
  /** The text after the fence; may be empty. */
  readonly language: string
  /** Whether the code is streaming. Streaming code stays plain, with a caret at the end. */
  readonly growing?: boolean
}

export const CodeBlock = memo(function CodeBlock({ code, language, growing = false }: CodeBlockProps) {
  const text = useRef<HTMLElement>(null)
  const lines = useHighlight(code, growing ? '' : language)
  return (
    <figure
      className={classNames(styles.block, colors.colors)}
      aria-label={language === '' ? 'Code' : `Code in ${language}`}
    >
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <pre dir="ltr" className={styles.code} tabIndex={0}>
        <code ref={text}>
          <KeepSelection within={text}>
            {lines === null ? code : <ColoredLines lines={lines} />}
          </KeepSelection>
          {growing && <span className={styles.caret} data-caret="" />}
        </code>
      </pre>
      <div className={styles.button}>
        {!growing && (
          <CopyButton text={code} label={language === '' ? 'Copy code' : `Copy code (${language})`} />
        )}
      </div>
    </figure>
  )
})

function ColoredLines({ lines }: { readonly lines: readonly HighlightedLine[] }) {
  return lines.map((line, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: lines never move
    <span key={index}>
      {index > 0 && '\n'}
      {line.map(([text, kind], at) => {
        const name = tokenKinds[kind]
        if (kind === 0 || name === undefined) return text
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: tokens never move
          <span key={at} className={colors[name]}>
            {text}
          </span>
        )
      })}
    </span>
  ))
}
