import { shellSyntax } from './cases/shell-syntax.ts'
import { tryAttacks } from './try-attacks.ts'

tryAttacks(shellSyntax)
