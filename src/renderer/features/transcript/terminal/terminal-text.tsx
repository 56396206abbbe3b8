/** The output of a command or tool, with terminal colors, named hidden characters and clickable `path:line`. */
import { Fragment, memo, useMemo } from 'react'
import { parseTerminal, type TerminalLine, terminalStyle } from '../../../ui/ansi.ts'
import { VisibleText } from '../../../ui/text/visible-text.tsx'
import { findFileReferences } from '../markdown/file-references.ts'
import { InlineButton } from '../markdown/inline-button.tsx'
import { useSurroundings } from '../surroundings.ts'
import styles from './terminal-text.module.css'

/** Lines of one block. The browser skips invisible blocks, so long output scrolls fast. */
const BLOCK = 200
/** A longer line is cut, because each change would lay out the whole line. */
const MAX_LINE_LENGTH = 4000

export const TerminalText = memo(function TerminalText({ text }: { readonly text: string }) {
  const lines = useMemo(() => parseTerminal(text), [text])
  if (lines.length <= BLOCK) return <Lines lines={lines} />
  return Array.from({ length: Math.ceil(lines.length / BLOCK) }, (_, block) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: lines never move
    <div key={block} className={styles.block}>
      <Lines lines={lines.slice(block * BLOCK, (block + 1) * BLOCK)} />
    </div>
  ))
})

function Lines({ lines }: { readonly lines: readonly TerminalLine[] }) {
  return lines.map((line, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: lines never move
    <div key={index} className={styles.line}>
      {line.length === 0 ? '\n' : <Line line={line} />}
    </div>
  ))
}

function Line({ line }: { readonly line: TerminalLine }) {
  let left = MAX_LINE_LENGTH
  return (
    <>
      {line.map((run, index) => {
        const text = run.text.slice(0, Math.max(0, left))
        left -= run.text.length
        const className = terminalStyle(run.style)
        // biome-ignore lint/suspicious/noArrayIndexKey: runs never move
        if (className === '') return <LinkedText key={index} text={text} />
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: runs never move
          <span key={index} className={className}>
            <LinkedText text={text} />
          </span>
        )
      })}
      {left < 0 && <span className={styles.cut}> … {(-left).toLocaleString('en')} more characters</span>}
    </>
  )
}

function LinkedText({ text }: { readonly text: string }) {
  const { openFile } = useSurroundings()
  const found = findFileReferences(text)
  if (found.length === 0) return <VisibleText>{text}</VisibleText>
  let start = 0
  return (
    <>
      {found.map((one) => {
        const before = text.slice(start, one.start)
        start = one.end
        return (
          <Fragment key={one.start}>
            <VisibleText>{before}</VisibleText>
            <InlineButton
              role="button"
              className={styles.file}
              title={`Open ${one.path} in your editor`}
              onPress={() => openFile(one)}
            >
              {text.slice(one.start, one.end)}
            </InlineButton>
          </Fragment>
        )
      })}
      <VisibleText>{text.slice(start)}</VisibleText>
    </>
  )
}
