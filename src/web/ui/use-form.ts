import { zodResolver } from '@hookform/resolvers/zod';
import type { SubmitEvent } from 'react';
import {
  useForm as useHookForm,
  type DefaultValues,
  type FieldValues,
  type Path,
  type UseFormReturn,
} from 'react-hook-form';
import * as z from 'zod/mini';
import { readAddress } from '#contract/addresses.ts';

/** Decision 0203: every form but those of the login. A schema checks it at the submit, then with every change. */
export function useForm<T extends FieldValues, R>(
  schema: z.ZodMiniType<R, T>,
  defaultValues: DefaultValues<T>,
  onValid: (values: R, form: UseFormReturn<T, unknown, R>) => Promise<void> | void,
) {
  const form = useHookForm<T, unknown, R>({ resolver: zodResolver(schema), defaultValues });
  const getError = (name: Path<T>): string | undefined => form.getFieldState(name, form.formState).error?.message;
  return {
    ...form,
    getError,
    /** The attributes of a text field that shows its own error. */
    field: (name: Path<T>) => ({ ...form.register(name), error: getError(name) }),
    submit: (event: SubmitEvent<HTMLFormElement>) => void form.handleSubmit((values) => onValid(values, form))(event),
  };
}

/** A mail address, read as it was meant; `problem` is said where the pattern does not match. */
export const addressField = (pattern: RegExp, problem: string) =>
  z.string().check(z.overwrite(readAddress), z.regex(pattern, problem));
