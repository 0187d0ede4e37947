-- Tokens have another form: the background job indexes all rows again. Until then, searches compare every row.
UPDATE posts SET search_indexed = 0 WHERE search_indexed = 1;
UPDATE assets SET search_indexed = 0 WHERE search_indexed = 1;
