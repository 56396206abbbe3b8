/** Maps terminal styles to class names of the palette. */
import type { TerminalColor, TerminalStyle } from './ansi.ts'
import styles from './terminal-style.module.css'
import { classNames } from './text/class-names.ts'

const COLORS: Readonly<Record<TerminalColor, string | undefined>> = {
  black: styles.black,
  red: styles.red,
  green: styles.green,
  yellow: styles.yellow,
  blue: styles.blue,
  magenta: styles.magenta,
  cyan: styles.cyan,
  white: styles.white,
}

/** The class names of a style; empty for plain text. */
export function terminalStyle(style: TerminalStyle): string {
  return classNames(
    style.color !== null && COLORS[style.color],
    (style.inverse || style.background !== null) && styles.inverse,
    style.bold && styles.bold,
    style.dim && styles.dim,
    style.italic && styles.italic,
    style.underline && styles.underline,
    style.strike && styles.strike,
  )
}
