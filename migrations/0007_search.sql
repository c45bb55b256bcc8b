CREATE TABLE `search_docs` (
	`id` integer PRIMARY KEY NOT NULL,
	`session_id` text NOT NULL,
	`role` text NOT NULL,
	`at` integer NOT NULL
);
--> statement-breakpoint
CREATE VIRTUAL TABLE `search_words` USING fts5(text, content='', contentless_delete=1, tokenize='unicode61 remove_diacritics 2', prefix='3');
--> statement-breakpoint
CREATE VIRTUAL TABLE `search_trigrams` USING fts5(text, tokenize='trigram');
--> statement-breakpoint
CREATE TABLE `todos` (
	`session_id` text PRIMARY KEY NOT NULL,
	`items` text NOT NULL
);
